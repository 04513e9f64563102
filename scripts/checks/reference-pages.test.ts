import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { brighterBagNames } from '../../src/core/dialects/brighter.ts'
import { letterHeaderNames } from '../../src/core/dialects/letter-headers.ts'
import { planeMetrics } from '../../src/ops/metrics/plane-metrics.ts'
import { collectMetrics } from '../../src/runtime/metrics.ts'
import { createStats } from '../../src/runtime/stats.ts'
import { findingCodes } from './finding-codes.ts'
import { sourceFiles } from './source-files.ts'

describe('docs/metrics.md', () => {
  const [ofConsumers = '', ofControlPlane = ''] = readFileSync('docs/metrics.md', 'utf8').split('## Of the control plane')
  const rowsIn = (part: string): readonly (readonly string[])[] =>
    [...part.matchAll(/^\| `([\w.]+)` \| (counter|gauge|histogram) \|/gm)].map(([, name = '', kind = '']) => [name, kind])

  it('lists the metrics that a consumer gives, with their kinds, and no other', () => {
    const given = collectMetrics(new Map([['queue', createStats()]]), 'memory').map(({ name, kind }) => [name, kind])
    expect(rowsIn(ofConsumers)).toEqual(given)
  })

  it('lists the metrics that the control plane gives, with their kinds, and no other', () => {
    const counts = { deliveries: 1, deduplicated: 0, inserted: 1, letters: { open: 1 } }
    const source = {
      id: 1,
      connection: 'shop',
      channel: 'dlq',
      part: '',
      group: '',
      position: null,
      readAt: null,
      problem: null,
      ...counts,
    }
    const given = planeMetrics({
      sources: [{ source, mode: 'watch', onBroker: { letters: 1, at: 0 }, unresolved: 1, isAtLeast: false }],
      replayed: [{ state: 'sent', letters: 1 }],
      notifiers: [{ name: 'mail', waiting: 0, dead: 0 }],
      works: true,
      collects: 1,
      alerts: [{ rule: 'dlq.any', severity: 'critical', phase: 'firing' }],
    })
    expect(rowsIn(ofControlPlane)).toEqual(given.map(({ name, kind }) => [name, kind]))
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
