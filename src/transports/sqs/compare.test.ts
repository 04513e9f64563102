import { expect, it } from 'vitest'
import type { WantedChannel } from '../topology.ts'
import { defaultMaxMessage, type QueueKind, sqsCapabilities } from './capabilities.ts'
import { type Compared, differences } from './compare.ts'

const day = 24 * 3_600_000
const wanted: WantedChannel = { address: { name: 'work' }, role: 'work', deadLetterTo: { name: 'dead' }, maxTurns: 3 }
const grave = { arn: 'arn:aws:sqs:eu-central-1:1:dead', retention: 14 * day, maxMessage: defaultMaxMessage }
const facts = {
  arn: 'arn:aws:sqs:eu-central-1:1:work',
  retention: 4 * day,
  maxMessage: defaultMaxMessage,
  redrivePolicy: { targetArn: grave.arn, maxReceiveCount: 100 },
}

function found(change: Partial<Compared> = {}, kind: QueueKind = 'standard'): string[] {
  const capabilities = sqsCapabilities(kind, defaultMaxMessage)
  const findings = differences({ wanted, facts, grave, targetExists: true, capabilities, ...change })
  for (const { message } of findings) expect(message).toMatch(/[.]$/)
  return findings.map(({ severity, address, what }) => `${severity} ${address.name} ${what}`)
}

it('finds nothing where everything is as it should be', () => {
  expect(found()).toEqual([])
})

const { redrivePolicy: _, ...withoutPolicy } = facts

it.each<[string, Partial<Compared>, string]>([
  ['no redrive policy', { facts: withoutPolicy }, 'warning work redrive-policy-missing'],
  ['a target that is gone', { targetExists: false }, 'warning work redrive-target-missing'],
  ['another target', { grave: { ...grave, arn: 'arn:aws:sqs:eu-central-1:1:other' } }, 'warning work redrive-policy-differs'],
  [
    'a limit without room for restarts',
    { facts: { ...facts, redrivePolicy: { ...facts.redrivePolicy, maxReceiveCount: 12 } } },
    'warning work receive-limit-too-low',
  ],
  ['letters that are kept for less long', { grave: { ...grave, retention: 3 * day } }, 'warning dead retention-shorter'],
  ['letters that may be less large', { grave: { ...grave, maxMessage: 1024 } }, 'warning dead dead-letter-size-smaller'],
  ['messages whose letters would not fit', { facts: { ...facts, maxMessage: 1_048_576 } }, 'warning work message-size-differs'],
  ['a time to live', { wanted: { ...wanted, ttl: day } }, 'warning work ttl-not-kept'],
  ['an order', { wanted: { ...wanted, lanes: true } }, 'warning work lanes-unsupported'],
])('tells of %s', (_name, change, expected) => {
  expect(found(change)).toContain(expected)
})

it('lets FIFO queues keep order', () => {
  expect(found({ wanted: { ...wanted, lanes: true } }, 'fifo')).toEqual([])
})

it('leaves 13 receives for three turns, and demands no more', () => {
  const limited = (maxReceiveCount: number): Partial<Compared> => ({
    facts: { ...facts, redrivePolicy: { ...facts.redrivePolicy, maxReceiveCount } },
  })
  expect([found(limited(12)).length, found(limited(13)).length]).toEqual([1, 0])
})
