import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyFilter } from './filters.fixture.ts'
import { parseFilter } from './parse-filter.ts'
import { printFilter } from './print-filter.ts'
import { wordsOf } from './words.ts'

it('what is printed is read as the same filter', () => {
  fc.assert(
    fc.property(anyFilter, (filter) => {
      expect(parseFilter(printFilter(filter))).toEqual(filter)
    }),
    { numRuns: 2000 },
  )
})

it.each([
  ['  state:open   AND  key:"7" ', 'state:open key:7'],
  ['(a b) OR ((c))', 'a b OR c'],
  ['a (b OR c) -(d e)', 'a (b OR c) -(d e)'],
  ['key:"a b","c,d","","e""f"', 'key:"a b","c,d","","e""f"'],
  ['source:"a b"**"c*"', 'source:"a b"*"c*"'],
  ['header."x":1 header."a b":*', 'header.x:1 header."a b":*'],
  ['age>90m age<=36h age>0ms', 'age>1h30m age<=1d12h age>0ms'],
  ['size>1048576 size>1000B size:0', 'size>1MiB size>1000B size:0B'],
  ['failed>2026-11-16T00:00Z failed>2026-11-16T09:30+01:00', 'failed>2026-11-16 failed>2026-11-16T08:30Z'],
  ['failed>2026-11-16T09:30:15Z failed>2026-11-16T09:30:15.5Z', 'failed>2026-11-16T09:30:15Z failed>2026-11-16T09:30:15.500Z'],
  ['"Card, declined!" BODY* body:ring', '"card declined" body* body:ring'],
])('%j is printed as %j', (written, printed) => {
  expect(printFilter(parseFilter(written))).toBe(printed)
})

it('the words of words are the same words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(wordsOf(wordsOf(text).join(' '))).toEqual(wordsOf(text))
    }),
    { numRuns: 2000 },
  )
})

it.each([
  ['Crème BRÛLÉE', ['creme', 'brulee']],
  ['İstanbul ÅNGSTRÖM', ['istanbul', 'angstrom']],
  ['order_id=o-1 (100 %)', ['order', 'id', 'o', '1', '100']],
  ['हिन्दी 한국어 漢字', ['हिन्दी', '한국어', '漢字']],
  ['', []],
])('the words of %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words.map((word) => word.normalize('NFC')))
})
