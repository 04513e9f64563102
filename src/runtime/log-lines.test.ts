import { describe, expect, it } from 'vitest'
import { type LogLine, provision, testingWorld, type World } from '../../test/testing-world.ts'
import { PermanentError } from '../core/tagged-errors.ts'

const ids = { id: 'm-1', correlationId: 'c-1' }
const fails = (): never => {
  throw new TypeError('no route')
}

function line(world: World, message: string): LogLine {
  const found = world.logs.filter((log) => log.message === message)
  expect(found.map((log) => log.message)).toEqual([message])
  return found[0] as LogLine
}

describe('log lines', () => {
  it('seed 000: each failed run, and the last one', async () => {
    const world = testingWorld()
    await world.consume(fails, { retry: { immediate: 1, delayed: { retries: 0 } } })
    await world.put(1, ids)
    const failure = 'Log processing failure: Exception TypeError: no route, CorrelationID: c-1'
    const failures = world.logs.filter(({ message }) => message === failure)
    expect(failures).toMatchObject([1, 2].map((run) => ({ level: 'error', fields: { run, correlationId: 'c-1' } })))
    expect(line(world, 'Final retry attempt failed. Preparing to reject message.').level).toBe('error')
  })

  it('seed 001: Abandoning message for retry', async () => {
    const world = testingWorld()
    await world.consume(fails)
    await world.put(1, ids)
    const { level, fields } = line(world, 'Abandoning message for retry: MessageId=m-1, DeliveryCount=1')
    expect([level, fields]).toMatchObject(['info', { messageId: 'm-1', deliveries: 1, delayMs: 1000 }])
  })

  it('seed 001: Message exceeded max delivery count', async () => {
    const world = testingWorld()
    await world.consume(fails, { maxDeliveryCount: 1 })
    await world.put(1, ids)
    expect(line(world, 'Message exceeded max delivery count: MessageId=m-1, DeliveryCount=1').level).toBe('warn')
  })

  it('seed 001: Non-retryable error for message', async () => {
    const world = testingWorld()
    await world.consume(() => Promise.reject(new PermanentError('account closed')))
    await world.put(1, ids)
    expect(line(world, 'Non-retryable error for message: MessageId=m-1, Error=account closed').level).toBe('warn')
  })

  it('seed 001: Poison message detected', async () => {
    const world = testingWorld()
    await provision(world.broker)
    await world.put(1, { ...ids, headers: [['redrive-attempts', '3']] })
    await world.consume(() => expect.unreachable(), { maxDeliveryCount: 3 })
    await world.clock.settle()
    expect(line(world, 'Poison message detected - moving to DLQ: MessageId=m-1, DeliveryCount=1').level).toBe('warn')
  })

  it('seed 003: Published failed message to DLQ, with its fields', async () => {
    const world = testingWorld()
    await world.consume(fails, { maxDeliveryCount: 1 })
    await world.put(1, ids)
    const { level, fields } = line(world, 'Published failed message to DLQ: dead')
    const expected = { original_topic: 'work', dlq_topic: 'dead', correlation_id: 'c-1', error_type: 'TypeError' }
    expect([level, fields]).toMatchObject(['info', expected])
  })

  it('seed 003: Failed to publish to DLQ topic, with its fields', async () => {
    const world = testingWorld()
    await world.consume(fails, { maxDeliveryCount: 1 })
    world.broker.faults.refuse('dead')
    await world.put(1, ids)
    const { level, fields } = line(world, 'Failed to publish to DLQ topic dead')
    const expected = { original_topic: 'work', dlq_topic: 'dead', correlation_id: 'c-1', dlq_error: 'dead was told to refuse.' }
    expect([level, fields]).toMatchObject(['error', expected])
  })

  it('make up a correlation id where the message has none, and stay with it through all attempts', async () => {
    const world = testingWorld()
    await world.consume(fails, { retry: { immediate: 1, delayed: { retries: 2 } } })
    await world.put(1)
    await world.clock.advance(600_000)
    const [letter] = world.of('dead-lettered')
    expect(letter?.correlationId).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
    const inLogs = world.of('failed').map(({ correlationId }) => correlationId)
    expect(inLogs).toEqual(Array(6).fill(letter?.correlationId))
    await world.put(1)
    expect(world.of('failed').at(-1)?.correlationId).not.toBe(letter?.correlationId)
  })

  it('say so where a message has no id', async () => {
    const world = testingWorld()
    await world.consume(fails, { maxDeliveryCount: 1 })
    await world.put(1)
    line(world, 'Message exceeded max delivery count: MessageId=(none), DeliveryCount=1')
    expect(world.logs.filter(({ message }) => message.includes('undefined'))).toEqual([])
  })

  it('harm nothing when the logger or a listener throws', async () => {
    const world = testingWorld()
    const broken = (): never => {
      throw new Error('the log is full')
    }
    const logger = { ...world.logger, error: broken, warn: broken }
    const consumer = await world.consume(fails, { maxDeliveryCount: 1 }, { logger })
    consumer.on('failed', broken)
    await world.put(1)
    expect(await world.letters()).toHaveLength(1)
  })
})
