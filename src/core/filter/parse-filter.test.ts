import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { letterStates } from '../letter-states.ts'
import { fieldNames, fields, havings, kinds, type Operator } from './fields.ts'
import { FilterError } from './filter-error.ts'
import { almostFilter } from './filters.fixture.ts'
import { filterLimits, parseFilter } from './parse-filter.ts'
import { printFilter } from './print-filter.ts'

const text = (...words: string[]): object => ({ kind: 'text', where: 'failure', words, open: false })

describe('a filter is read', () => {
  it.each<[string, object]>([
    ['', { kind: 'all', of: [] }],
    [' \t\n', { kind: 'all', of: [] }],
    ['id:1,2', { kind: 'ids', field: 'id', values: ['1', '2'] }],
    ['key:"a,b","c ""d"""', { kind: 'ids', field: 'key', values: ['a,b', 'c "d"'] }],
    ['key:""', { kind: 'ids', field: 'key', values: [''] }],
    ['key:"*"', { kind: 'ids', field: 'key', values: ['*'] }],
    ['state:open,unknown', { kind: 'state', values: ['open', 'unknown'] }],
    ['has:key', { kind: 'has', values: ['key'] }],
    ['cause:3f2a,v1:9', { kind: 'cause', beginnings: ['3f2a', 'v1:9'] }],
    ['channel:orders', { kind: 'names', field: 'channel', patterns: [['orders']] }],
    ['source:dlq.*', { kind: 'names', field: 'source', patterns: [['dlq.', '']] }],
    ['type:*', { kind: 'names', field: 'type', patterns: [['', '']] }],
    ['error:a**b*c', { kind: 'names', field: 'error', patterns: [['a', 'b', 'c']] }],
    ['reason:"100 *"*', { kind: 'names', field: 'reason', patterns: [['100 *', '']] }],
    ['reason:C:\\temp', { kind: 'names', field: 'reason', patterns: [['C:\\temp']] }],
    ['reason:"a\\"', { kind: 'names', field: 'reason', patterns: [['a\\']] }],
    ['header.tenant:acme,glob*', { kind: 'header', name: 'tenant', patterns: [['acme'], ['glob', '']] }],
    ['header.a.b:c', { kind: 'header', name: 'a.b', patterns: [['c']] }],
    ['header."ce:id x":y', { kind: 'header', name: 'ce:id x', patterns: [['y']] }],
    ['attempts:3', { kind: 'compare', field: 'attempts', operator: '=', value: 3 }],
    ['attempts>=3', { kind: 'compare', field: 'attempts', operator: '>=', value: 3 }],
    ['size>64KiB', { kind: 'compare', field: 'size', operator: '>', value: 65_536 }],
    ['size<=1000', { kind: 'compare', field: 'size', operator: '<=', value: 1000 }],
    ['size:0', { kind: 'compare', field: 'size', operator: '=', value: 0 }],
    ['age>1h30m', { kind: 'compare', field: 'age', operator: '>', value: 5_400_000 }],
    ['age<"90s"', { kind: 'compare', field: 'age', operator: '<', value: 90_000 }],
    ['failed>=2026-11-16', { kind: 'compare', field: 'failed', operator: '>=', value: Date.UTC(2026, 10, 16) }],
    ['failed<2026-11-16T09:30', { kind: 'compare', field: 'failed', operator: '<', value: Date.UTC(2026, 10, 16, 9, 30) }],
    [
      'received>2026-11-16T09:30:15.250+01:00',
      { kind: 'compare', field: 'received', operator: '>', value: Date.UTC(2026, 10, 16, 8, 30, 15, 250) },
    ],
    ['Declined!', text('declined')],
    ['"Card  DECLINED"', text('card', 'declined')],
    ['payment-service', text('payment', 'service')],
    ['"Überweisung"', text('uberweisung')],
    ['declin*', { ...text('declin'), open: true }],
    ['"card declin"*', { ...text('card', 'declin'), open: true }],
    ['"AND OR NOT"', text('and', 'or', 'not')],
    ['or ORDER', { kind: 'all', of: [text('or'), text('order')] }],
    ['body:"card declined"', { kind: 'text', where: 'body', words: ['card', 'declined'], open: false }],
    ['body:ring*', { kind: 'text', where: 'body', words: ['ring'], open: true }],
    ['-a', { kind: 'not', of: text('a') }],
    ['-(-a)', text('a')],
    ['a b', { kind: 'all', of: [text('a'), text('b')] }],
    ['a AND b', { kind: 'all', of: [text('a'), text('b')] }],
    ['a (b c)', { kind: 'all', of: [text('a'), text('b'), text('c')] }],
    ['a OR b OR (c OR d)', { kind: 'any', of: [text('a'), text('b'), text('c'), text('d')] }],
    ['a b OR c', { kind: 'any', of: [{ kind: 'all', of: [text('a'), text('b')] }, text('c')] }],
    ['a ( b OR c )', { kind: 'all', of: [text('a'), { kind: 'any', of: [text('b'), text('c')] }] }],
    ['a OR(b)', { kind: 'any', of: [text('a'), text('b')] }],
    ['-(a OR b)', { kind: 'not', of: { kind: 'any', of: [text('a'), text('b')] } }],
  ])('%j', (written, filter) => {
    expect(parseFilter(written)).toEqual(filter)
  })

  it('is the example of the documentation', () => {
    const filter = parseFilter('channel:dlq.* cause:3f2a age>1h header.tenant:acme "card declined"')
    expect(filter).toMatchObject({
      kind: 'all',
      of: [{ kind: 'names' }, { kind: 'cause' }, { kind: 'compare' }, { kind: 'header' }, { kind: 'text' }],
    })
  })

  it.each(fieldNames)('the example of %s in the table of fields', (name) => {
    expect(printFilter(parseFilter(fields[name].example))).toBe(fields[name].example)
    expect(fields[name].example).toContain(name)
  })

  it.each([...letterStates.map((state) => `state:${state}`), ...havings.map((having) => `has:${having}`)])('%s', (written) => {
    expect(printFilter(parseFilter(written))).toBe(written)
  })
})

/** Every field with every operator: allowed by the table, or refused at the operator. */
describe.each(fieldNames)('%s', (name) => {
  const values = {
    id: '1',
    name: 'a',
    word: name === 'has' ? 'key' : 'open',
    beginning: 'a',
    number: '1',
    size: '1',
    duration: '1h',
    time: '2026-11-16',
    text: 'a',
  }
  const allowed = kinds[fields[name].kind].operators
  it.each<Operator | '='>([':', '<', '<=', '>', '>=', '='])('%s', (operator) => {
    const written = `${name}${operator}${values[fields[name].kind]}`
    if (allowed.some((one) => one === operator)) expect(parseFilter(written)).toMatchObject({ kind: expect.anything() })
    else expect(mistakeIn(written)).toMatchObject({ at: name.length, problem: expect.stringMatching(`^${name} is followed by `) })
  })
})

function mistakeIn(written: string): FilterError {
  try {
    parseFilter(written)
  } catch (error) {
    if (error instanceof FilterError) return error
  }
  throw new Error(`${JSON.stringify(written)} was read`)
}

describe('a mistake is told with its place', () => {
  it.each<[string, number, string]>([
    ['state:open chanel:dlq.*', 11, '"chanel" is no field. Did you mean channel?'],
    ['Heder.x:1', 0, 'is no field. Did you mean header.?'],
    ['http://example.com', 0, 'put it in "quotes"'],
    ['a>b', 0, '"a" is no field.'],
    [':x', 0, '"" is no field.'],
    ['__proto__:x', 0, '"__proto__" is no field.'],
    ['constructor:x', 0, '"constructor" is no field.'],
    [
      'state:opn',
      6,
      '"opn" is none of open, replaying, sent, succeeded, assumed, returned, unknown, discarded, expired. Did you mean open?',
    ],
    ['state:open,unknwon', 11, 'Did you mean unknown?'],
    ['state:op*', 6, 'This takes one or more of open'],
    ['has:body', 4, '"body" is none of key, correlation, note.'],
    ['key:a*', 4, 'Put a star in "quotes" to mean the character.'],
    ['cause:""', 6, 'Everything begins with nothing'],
    ['state:', 6, 'A value must stand here.'],
    ['state: open', 6, 'A value must stand here.'],
    ['state:open,', 11, 'A value must stand here.'],
    ['state:,open', 6, 'A value must stand here.'],
    ['(state:)', 7, 'A value must stand here.'],
    ['state=open', 5, 'state is followed by :, such as state:open,unknown.'],
    ['age:>1h', 3, 'age is followed by < or <= or > or >=, such as age>1h.'],
    ['age>1x', 4, '"1x" is not a duration such as 90s, 1h30m or 2d.'],
    ['age>', 4, 'A value must stand here.'],
    ['attempts>1.5', 9, '"1.5" is not a whole number.'],
    ['attempts:-1', 9, '"-1" is not a whole number.'],
    ['attempts:1,2', 10, 'What is compared is one value only.'],
    ['size>64kilo', 5, '"64kilo" is not a number of bytes'],
    ['failed>yesterday', 7, '"yesterday" is not a date or a time such as'],
    ['failed>2026-02-30', 7, '"2026-02-30" is not a date'],
    ['failed>0070-01-01', 7, '"0070-01-01" is not a date'],
    ['failed>1969-12-31', 7, '"1969-12-31" is not a date'],
    ['failed>1763280000', 7, '"1763280000" is not a date'],
    ['header.:x', 0, 'The name of a header is missing'],
    ['header."":x', 0, 'The name of a header is missing'],
    ['header.a>x', 8, 'A header is followed by a colon'],
    ['header."a"b:x', 10, 'A header is followed by a colon'],
    ['"card declined', 0, 'This quote is never closed.'],
    ['key:"a', 4, 'This quote is never closed.'],
    ['"a"b', 3, 'A space must stand here.'],
    ['key:"a"b', 7, 'A space must stand here.'],
    ['a"b"', 1, 'must stand in "quotes"'],
    ['key:a"b"', 5, 'must stand in "quotes"'],
    ['process.exit()', 12, 'must stand in "quotes"'],
    ['reason:f(x)', 8, 'must stand in "quotes"'],
    ['()', 1, 'Something must stand before this parenthesis.'],
    ['a )', 2, 'No parenthesis is open'],
    ['a OR (b', 5, 'This parenthesis is never closed.'],
    ['(a)b', 3, 'A space must stand here.'],
    ['OR a', 0, 'Something must stand before this word.'],
    ['a OR', 4, 'Something must follow here.'],
    ['a OR OR b', 5, 'Something must stand before this word.'],
    ['a AND', 5, 'Something must follow here.'],
    ['NOT a', 0, 'a minus directly before it'],
    ['- a', 0, 'A minus must stand directly before what it denies'],
    ['a --b', 2, 'A minus must stand directly before what it denies'],
    ['(-)', 1, 'A minus must stand directly before what it denies'],
    ['a %', 2, 'There is no letter and no digit in this text to search for.'],
    ['body:"--"', 5, 'There is no letter and no digit'],
    ['a*b', 1, 'a star may only end the last word'],
    ['declin**', 6, 'a star may only end the last word'],
    ['*', 0, 'There is no letter and no digit'],
    ['de*', 0, 'At least 3 letters or digits must stand directly before the star.'],
    ['"card !"*', 0, 'At least 3 letters or digits must stand directly before the star.'],
  ])('%j', (written, at, problem) => {
    expect(mistakeIn(written)).toMatchObject({ code: 'bad-filter', at, problem: expect.stringContaining(problem) })
  })

  it('and a caret under the character', () => {
    expect(mistakeIn('state:open chanel:dlq.*').message).toBe(
      [
        'Character 12 of the filter: "chanel" is no field. Did you mean channel? To search for text with one of : < > = in it, put it in "quotes". Fields: id, state, source, channel, connection, cause, under, reason, error, dialect, type, key, correlation, message, letter, service, version, owner, replay, attempts, size, age, failed, received, has, body, header.<name>.',
        '  state:open chanel:dlq.*',
        '             ^',
      ].join('\n'),
    )
  })

  it('which counts characters and not their halves', () => {
    expect(mistakeIn('"😀a" state:x').message).toContain('Character 12 of')
    expect(mistakeIn('é😀 x y(').message.split('\n').at(-1)?.length).toBe('  é😀 x y('.length - 1)
  })

  it('on a line of its own, however long the filter is, and with nothing that acts on a terminal', () => {
    const [, shown = '', caret = ''] = mistakeIn(`${'a '.repeat(30)}x:\u001b[2J\u202e${'b'.repeat(200)}`).message.split('\n')
    expect(shown).toMatch(/^ {2}…/)
    expect(shown).toContain('x:\\u001b[2J\\u202ebb')
    expect(shown.length).toBeLessThan(110)
    expect(shown.slice(caret.indexOf('^'))).toMatch(/^x:/)
  })
})

describe('the limits', () => {
  it('4,096 characters', () => {
    expect(parseFilter(`key:${'a'.repeat(4092)}`)).toMatchObject({ kind: 'ids' })
    expect(mistakeIn(`key:${'a'.repeat(4093)}`)).toMatchObject({
      at: filterLimits.characters,
      problem: 'A filter has at most 4096 characters.',
    })
  })

  it('4,096 characters of the canonical form too, which is what is kept', () => {
    expect(mistakeIn(`age>90m key:${'a'.repeat(4084)}`).problem).toBe('A filter has at most 4096 characters.')
  })

  it('64 terms, in which every value counts', () => {
    const many = (count: number): string => Array.from({ length: count }, (_, index) => `k${index}`).join(' ')
    expect(parseFilter(many(64))).toMatchObject({ kind: 'all' })
    expect(mistakeIn(many(65))).toMatchObject({ at: many(64).length + 1, problem: 'A filter has at most 64 terms and values.' })
    expect(parseFilter(`id:${many(64).replaceAll(' ', ',')}`)).toMatchObject({ kind: 'ids' })
    expect(mistakeIn(`id:${many(65).replaceAll(' ', ',')}`).problem).toBe('A filter has at most 64 terms and values.')
  })

  it('16 parentheses in each other', () => {
    expect(parseFilter(`${'('.repeat(16)}a${')'.repeat(16)}`)).toEqual(text('a'))
    expect(mistakeIn(`${'('.repeat(17)}a${')'.repeat(17)}`)).toMatchObject({
      at: 16,
      problem: expect.stringContaining('at most 16 deep'),
    })
    expect(mistakeIn('-('.repeat(2000)).problem).toContain('at most 16 deep')
  })
})

it('any text is a filter that can be written and read again, or a mistake at a place in it', () => {
  const read = { filters: 0, mistakes: 0 }
  fc.assert(
    fc.property(fc.oneof(almostFilter, fc.string({ unit: 'binary' })), (written) => {
      try {
        const filter = parseFilter(written)
        expect(parseFilter(printFilter(filter))).toEqual(filter)
        read.filters++
      } catch (error) {
        if (!(error instanceof FilterError)) throw error
        expect(error.at).toBeGreaterThanOrEqual(0)
        expect(error.at).toBeLessThanOrEqual(written.length)
        read.mistakes++
      }
    }),
    { numRuns: 2000 },
  )
  expect(read.filters).toBeGreaterThan(0)
  expect(read.mistakes).toBeGreaterThan(0)
})
