import { expect, test } from 'vitest'
import { contradictions, requiredCapabilities, shortfalls } from './required-capabilities.ts'

const { memory, kafka } = requiredCapabilities

test.each(Object.entries(requiredCapabilities))('%s meets its own row', (name, row) => {
  expect(shortfalls(name, row)).toEqual([])
})

test.each(Object.entries(requiredCapabilities))('%s does not contradict itself', (_, row) => {
  expect(contradictions(row)).toEqual([])
})

test.each([
  ['copies that wait longer than a send can', { ...requiredCapabilities.sqs, delayedSend: 0 }],
  ['a native retry that is not in place', { ...memory, retry: { ...memory.retry, inPlace: false } }],
  ['a failure that travels with nothing', { ...memory, deadLetter: { native: false, carriesFailure: true } }],
  ['removal by positions that nobody gives', { ...memory, browse: 'none' as const }],
])('a row with %s would be met by no broker', (_, row) => {
  expect(contradictions(row)).toHaveLength(1)
})

test('a transport may do better than its row', () => {
  expect(shortfalls('redis', memory)).toEqual([])
})

test('a lower word, a smaller number and a missing ability are each a shortfall', () => {
  const poorer = { ...memory, counts: 'copies', deduplication: 5, ttl: false } as const
  expect(shortfalls('memory', poorer)).toEqual([
    'counts is copies; memory needs turns.',
    'deduplication is 5; memory needs 600000.',
    'ttl is false; memory needs true.',
  ])
})

test('headers of messages and headers of a retry are judged apart', () => {
  const poorer = {
    ...memory,
    retry: { ...memory.retry, headers: false },
    messages: { ...memory.messages, headers: 'text' },
  } as const
  expect(shortfalls('memory', poorer)).toEqual([
    'retry.headers is false; memory needs true.',
    'messages.headers is text; memory needs typed.',
  ])
})

test('another kind of hold is a shortfall, since neither kind is above the other', () => {
  expect(shortfalls('kafka', { ...kafka, hold: 'lock' })).toEqual(['hold is lock; kafka needs offset.'])
})

test('a transport without a row is told so', () => {
  expect(shortfalls('carrier-pigeon', memory)).toEqual(['carrier-pigeon has no row in the table of required capabilities.'])
  expect(shortfalls('toString', memory)).toHaveLength(1)
})
