import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { headersSize, textHeader } from '../headers.ts'
import type { LetterDraft } from '../letter.ts'
import type { Headers } from '../message.ts'
import { brighterBagNames } from './brighter.ts'
import { anyDraft, draft, message } from './drafts.fixture.ts'
import { letterHeaderNames } from './letter-headers.ts'
import { dialectWriters } from './writers.ts'

const plenty = 1_000_000
const { redrive, brighter } = dialectWriters

function isOwn(name: string): boolean {
  return letterHeaderNames.has(name) || brighterBagNames.has(name)
}

function written(headers: Headers): Record<string, string | undefined> {
  return Object.fromEntries(headers.filter(([name]) => isOwn(name)).map(([name]) => [name, textHeader(headers, name)]))
}

for (const [name, write] of Object.entries(dialectWriters)) {
  describe(`the ${name} dialect`, () => {
    test('fits any budget, whatever the message and the failure are', () => {
      fc.assert(
        fc.property(anyDraft, fc.nat({ max: 4000 }), (some, budget) => {
          expect(headersSize(write(some, budget).headers)).toBeLessThanOrEqual(budget)
        }),
      )
    })

    test('bears the identity of the letter', () => {
      expect(textHeader(write(draft(), 2000).headers, 'redrive-letter')).toBe('letter-1')
      expect(textHeader(write(draft(), 40).headers, 'redrive-letter')).toBe('letter-1')
    })

    test('bears the generation of a replayed letter only', () => {
      expect(textHeader(write(draft(), plenty).headers, 'redrive-generation')).toBeUndefined()
      expect(textHeader(write(draft({ generation: 2 }), plenty).headers, 'redrive-generation')).toBe('2')
    })

    test('bears a stack trace only where the failure has one, and cuts one of 1 MB to what is left', () => {
      expect(textHeader(write(draft(), plenty).headers, 'redrive-stack')).toBeUndefined()
      const { failure } = draft()
      const letter = write(draft({ failure: { ...failure, stack: 'é'.repeat(524_288) } }), 8192)
      expect(textHeader(letter.headers, 'redrive-stack')).toMatch(/^é{3000,}…$/)
      expect(headersSize(letter.headers)).toBeGreaterThan(8180)
    })
  })
}

for (const [name, write] of Object.entries({ redrive, brighter })) {
  describe(`the ${name} dialect keeps the message`, () => {
    test('byte for byte, with its own headers in their order and of their types, whatever they are', () => {
      fc.assert(
        fc.property(anyDraft, (some) => {
          const { headers, ...rest } = write(some, plenty)
          const { headers: original, ...originalRest } = some.message
          expect(rest).toStrictEqual(originalRest)
          expect(headers.filter(([name]) => !isOwn(name))).toStrictEqual(original.filter(([name]) => !isOwn(name)))
        }),
      )
    })

    test('and does not grow when it is written again', () => {
      fc.assert(
        fc.property(anyDraft, (some) => {
          const once = write(some, plenty)
          expect(write({ ...some, message: once }, plenty)).toStrictEqual(once)
        }),
      )
    })

    test('and leaves out nothing but its largest headers, by name, where they are too many', () => {
      const headers: Headers = [
        ['first', 'a'],
        ['huge', 'x'.repeat(5000)],
        ['second', 'b'],
        ['large', 'x'.repeat(2000)],
        ['third', 'c'],
      ]
      const letter = write(draft({ message: message({ headers }) }), 4096)
      const own = letter.headers.filter(([name]) => !isOwn(name)).map(([name]) => name)
      expect(own).toEqual(['first', 'second', 'large', 'third'])
      expect(textHeader(letter.headers, 'redrive-dropped-headers')).toBe('huge')
      expect(textHeader(letter.headers, 'redrive-letter')).toBe('letter-1')
    })

    test('and gives up the stack trace before the description', () => {
      const { failure } = draft()
      const full = draft({ failure: { ...failure, description: 'd'.repeat(1000), stack: 's'.repeat(1000) } })
      const withDescription = headersSize(
        write(draft({ failure: { ...failure, description: 'd'.repeat(1000) } }), plenty).headers,
      )
      const values = (budget: number): readonly string[] => write(full, budget).headers.map(([, value]) => String(value))
      expect(values(withDescription)).toContain('d'.repeat(1000))
      expect(values(withDescription).some((value) => value.startsWith('sss'))).toBe(false)
      expect(values(withDescription - 500).some((value) => /^d{400,}…$/.test(value))).toBe(true)
      expect(values(withDescription - 1000).some((value) => value.startsWith('dd'))).toBe(false)
    })
  })
}

describe('the redrive dialect', () => {
  test('writes what is known about the failure', () => {
    expect(written(redrive(draft(), plenty).headers)).toEqual({
      'redrive-letter': 'letter-1',
      'redrive-reason': 'MaxDeliveryCountExceeded',
      'redrive-description': 'Database connection timeout after 30s',
      'redrive-error-type': 'InfraTimeoutError',
      'redrive-class': 'retryable',
      'redrive-failed-at': '2024-01-15T14:32:17.456Z',
      'redrive-failed-attempts': '4',
      'redrive-deliveries': '5',
      'redrive-origin-channel': 'orders',
      'redrive-origin-group': 'billing',
      'redrive-origin-position': 'orders/3/42',
      'redrive-service': 'order-service',
      'redrive-version': '1.4.0',
    })
  })

  test('writes the correlation id where the message brought none', () => {
    const { correlationId, ...without } = message()
    expect(textHeader(redrive(draft({ message: without }), plenty).headers, 'redrive-correlation-id')).toBe(correlationId)
  })

  test('takes off the live counter of attempts, so that a replay starts from none', () => {
    const letter = redrive(draft({ message: message({ headers: [['redrive-attempts', 3]] }) }), plenty)
    expect(textHeader(letter.headers, 'redrive-attempts')).toBeUndefined()
  })

  test('replaces what an earlier letter wrote, even where it has nothing to say now', () => {
    const headers: Headers = [
      ['redrive-stack', 'old'],
      ['redrive-stack', 'older'],
      ['redrive-reason', 'old'],
      ['redrive-replay', 'kept'],
    ]
    const letter = redrive(draft({ message: message({ headers }) }), plenty)
    expect(letter.headers.filter(([name]) => name === 'redrive-stack')).toEqual([])
    expect(letter.headers.filter(([name]) => name === 'redrive-reason')).toEqual([['redrive-reason', 'MaxDeliveryCountExceeded']])
    expect(textHeader(letter.headers, 'redrive-replay')).toBe('kept')
  })

  test('bounds a reason that a user made endless', () => {
    const { failure } = draft()
    const letter = redrive(draft({ failure: { ...failure, reason: 'x'.repeat(100_000) } }), 4096)
    expect(textHeader(letter.headers, 'redrive-reason')).toHaveLength(510)
  })
})

describe('the brighter dialect', () => {
  const bagOf = (changes: Partial<LetterDraft>): Record<string, string | undefined> => {
    const entries = Object.entries(written(brighter(draft(changes), plenty).headers))
    return Object.fromEntries(entries.filter(([name]) => brighterBagNames.has(name)))
  }

  test('seed 004 bag: topic, reason, timestamp, message type and description stand in the headers', () => {
    expect(bagOf({})).toEqual({
      originalTopic: 'orders',
      rejectionReason: 'DeliveryError',
      rejectionTimestamp: '2024-01-15T14:32:17.456Z',
      originalMessageType: 'order.created',
      rejectionMessage: 'Database connection timeout after 30s',
    })
  })

  test('seed 004 bag: the reason is Unacceptable for invalid messages and DeliveryError for all others', () => {
    const { failure } = draft()
    const bagFor = (reason: string) => bagOf({ failure: { ...failure, reason } })
    expect(bagFor('Unacceptable')).toMatchObject({ rejectionReason: 'Unacceptable' })
    for (const reason of ['PoisonMessage', 'NonRetryableError', 'MaxDeliveryCountExceeded', 'Expired', 'mine']) {
      expect(bagFor(reason)).toMatchObject({ rejectionReason: 'DeliveryError' })
    }
  })

  test('seed 004 bag: without a description there is no message', () => {
    const { failure } = draft()
    expect(bagOf({ failure: { ...failure, description: '' } })).not.toHaveProperty('rejectionMessage')
  })

  test('seed 004 bag: the message type is the one that Brighter set, else the type of the message, else none', () => {
    const { type, ...untyped } = message()
    const byBrighter = message({ headers: [['MessageType', 'MT_COMMAND']] })
    expect(bagOf({ message: byBrighter })).toMatchObject({ originalMessageType: 'MT_COMMAND' })
    expect(bagOf({})).toMatchObject({ originalMessageType: type })
    expect(bagOf({ message: untyped })).toMatchObject({ originalMessageType: 'MT_NONE' })
  })
})

describe('the kafka-connect dialect', () => {
  const contextOf = (changes: Partial<LetterDraft>): Record<string, string | undefined> => {
    const { headers } = dialectWriters['kafka-connect'](draft(changes), plenty)
    const own = headers.filter(([name]) => name.startsWith('__connect.errors.'))
    return Object.fromEntries(own.map(([name]) => [name.replace('__connect.errors.', ''), textHeader(headers, name)]))
  }

  test('writes the context headers of Kafka Connect', () => {
    expect(contextOf({})).toEqual({
      topic: 'orders',
      partition: '3',
      offset: '42',
      'connector.name': 'billing',
      'task.id': '0',
      stage: 'TASK_PUT',
      'class.name': 'order-service',
      'exception.class.name': 'InfraTimeoutError',
      'exception.message': 'Database connection timeout after 30s',
    })
  })

  test('leaves out the place of what stands on no log', () => {
    expect(Object.keys(contextOf({ origin: { channel: 'orders' } }))).not.toContain('partition')
    expect(contextOf({ origin: { channel: 'orders' } })).toMatchObject({ 'connector.name': 'order-service' })
  })

  test('replaces what an earlier letter wrote, and keeps what only looks like it', () => {
    const headers: Headers = [
      ['__connect.errors.topic', 'old'],
      ['redrive-reason', 'old'],
      ['my.__connect.errors.', 'kept'],
    ]
    const letter = dialectWriters['kafka-connect'](draft({ message: message({ headers }) }), plenty)
    expect(letter.headers.filter(([name]) => name === '__connect.errors.topic')).toEqual([['__connect.errors.topic', 'orders']])
    expect(letter.headers.filter(([name]) => name === 'redrive-reason')).toHaveLength(1)
    expect(textHeader(letter.headers, 'my.__connect.errors.')).toBe('kept')
  })
})

test('a letter says which correlation id was made up, and only then', () => {
  expect(textHeader(redrive(draft(), plenty).headers, 'redrive-correlation-id')).toBeUndefined()
})
