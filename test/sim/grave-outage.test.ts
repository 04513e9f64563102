import { describe, expect, test } from 'vitest'
import type { Family } from './brokers/sim-broker.ts'
import { type GraveOutageReport, graveDownForTenMinutes } from './grave-outage.ts'
import { transportBugs } from './planted/transport-bugs.ts'
import { simChannels } from './script.ts'

/** Healthy messages flow: of those that were sent in a minute of the outage, nearly all are done within that minute. */
function flows({ completed, sent }: GraveOutageReport): boolean {
  return completed.every((count, index) => count >= 0.95 * (sent[index] ?? 0))
}

const answers = ['hold', 'spool'] as const
const families: readonly Family[] = ['lease', 'tag', 'log', 'pending']

describe.each(answers)('the dead-letter channel is down for ten minutes under load, with %s', { timeout: 120_000 }, (answer) => {
  test.each(families)('healthy messages flow in every minute on a %s broker, and nothing is lost', async (family) => {
    const report = await graveDownForTenMinutes(family, answer)
    console.log(`${family}, ${answer}: completed in each minute of the outage: ${report.completed.join(' ')}`)
    expect([flows(report), report.lost, report.overtaken]).toEqual([true, [], []])
  })

  test('a runtime that stops consuming meanwhile is found', async () => {
    const report = await graveDownForTenMinutes('tag', answer, {
      accompany: (consumer) => void consumer.on('dead-letter-failed', () => consumer.pause(simChannels.work)),
    })
    expect(flows(report)).toBe(false)
  })

  test('a runtime that completes what it could not dead-letter is found', async () => {
    const transport = transportBugs['swallows a letter that could not be written']
    const report = await graveDownForTenMinutes('tag', answer, transport && { transport })
    expect(report.lost.length).toBeGreaterThan(0)
  })
})
