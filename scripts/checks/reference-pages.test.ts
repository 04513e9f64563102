import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { brighterBagNames } from '../../src/core/dialects/brighter.ts'
import { letterHeaderNames } from '../../src/core/dialects/letter-headers.ts'
import { collectMetrics } from '../../src/runtime/metrics.ts'
import { createStats } from '../../src/runtime/stats.ts'
import { findingCodes } from './finding-codes.ts'
import { sourceFiles } from './source-files.ts'

describe('docs/metrics.md', () => {
  it('lists the metrics that a consumer gives, with their kinds, and no other', () => {
    const rows = [...readFileSync('docs/metrics.md', 'utf8').matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \|/gm)]
    const given = collectMetrics(new Map([['queue', createStats()]])).map(({ name, kind }) => [name, kind])
    expect(rows.map(([, name, kind]) => [name, kind])).toEqual(given)
  })
})

describe('docs/letters.md', () => {
  it.each([...letterHeaderNames, ...brighterBagNames])('explains the header %s', (name) => {
    expect(readFileSync('docs/letters.md', 'utf8')).toContain(`\`${name}\``)
  })
})

describe('docs/logs.md', () => {
  const page = readFileSync('docs/logs.md', 'utf8')
  const source = [...sourceFiles('src/runtime'), ...sourceFiles('src/monitor'), ...sourceFiles('src/core')]
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .map(({ text }) => text)
    .join('\n')
  const lines = [...page.matchAll(/^\| (?:info|warn|error|fatal) \| `(.+)` \|$/gm)].map(([, line = '']) => line)

  it.each(lines)('has a line that the runtime writes: %s', (line) => {
    for (const words of line.split(/\{\w+\}/)) expect(source).toContain(words)
  })

  it('has every line that the runtime writes about an event', () => {
    const logs = readFileSync('src/runtime/logs.ts', 'utf8')
    const written = [...logs.matchAll(/[`']([A-Z][^`'$]{10,})[`'$]/g)]
      .map(([, words = '']) => words)
      .filter((words) => words.includes(' '))
    expect(written.length).toBeGreaterThan(15)
    for (const words of written) expect(page).toContain(words)
  })
})

describe('docs/cli.md', () => {
  const explained = [
    ...readFileSync('docs/cli.md', 'utf8').matchAll(/^\| `([a-z-]+)` \| (?:fatal|missing|warning|unknown)/gm),
  ].map(([, code = '']) => code)

  it('explains everything that a check or the doctor can find, and nothing else', () => {
    const found = [...findingCodes()]
    expect(found.length).toBeGreaterThan(30)
    expect(explained.toSorted()).toEqual(found.toSorted())
  })
})
