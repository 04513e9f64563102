import { describe, expect, it } from 'vitest'
import { PermanentError } from '../../src/core/tagged-errors.ts'
import { jobMessage, provision, testingWorld, type World } from '../testing-world.ts'

const longAfter = 3_600_000
const unavailable = (): never => {
  throw new Error('the gateway is unavailable')
}
const message = { id: 'm-1', correlationId: 'c-1' }

/** What stands in the log at this level, with its fields. */
function line(world: World, level: string, text: string): Readonly<Record<string, unknown>> | undefined {
  return world.logs.find((entry) => entry.level === level && entry.message === text)?.fields
}

/** Three runs that fail, then a letter. */
async function exhausted(): Promise<World> {
  const world = testingWorld()
  await world.consume(unavailable)
  await world.put('job', message)
  await world.clock.advance(longAfter)
  return world
}

describe('log lines of the seeds', () => {
  it('seed 000 log: every failed attempt, with the exception and the correlation id', async () => {
    const { logs } = await exhausted()
    const text = 'Log processing failure: Exception Error: the gateway is unavailable, CorrelationID: c-1'
    expect(logs.filter((entry) => entry.level === 'error' && entry.message === text)).toHaveLength(3)
  })

  it('seed 000 log: the final attempt failed', async () => {
    expect(line(await exhausted(), 'error', 'Final retry attempt failed. Preparing to reject message.')).toMatchObject({
      correlationId: 'c-1',
    })
  })

  it('seed 001 log: abandoning for retry, with the delivery count', async () => {
    const world = await exhausted()
    for (const count of [1, 2]) {
      const text = `Abandoning message for retry: MessageId=m-1, DeliveryCount=${count}`
      expect(line(world, 'info', text)).toBeDefined()
    }
  })

  it('seed 001 log: exceeded max delivery count', async () => {
    expect(line(await exhausted(), 'warn', 'Message exceeded max delivery count: MessageId=m-1, DeliveryCount=3')).toBeDefined()
  })

  it('seed 001 log: non-retryable error', async () => {
    const world = testingWorld()
    await world.consume(() => {
      throw new PermanentError('the account is closed')
    })
    await world.put('job', message)
    expect(line(world, 'warn', 'Non-retryable error for message: MessageId=m-1, Error=the account is closed')).toBeDefined()
  })

  it('seed 001 log: poison message', async () => {
    const world = testingWorld()
    await provision(world.broker)
    await world.broker.send({ name: 'work' }, jobMessage('job', { ...message, headers: [['redrive-attempts', '3']] }))
    let runs = 0
    await world.consume(() => ++runs)
    await world.clock.settle()
    expect(line(world, 'warn', 'Poison message detected - moving to DLQ: MessageId=m-1, DeliveryCount=1')).toBeDefined()
    expect(runs).toBe(0)
  })

  it('seed 003 log: a letter was published, with topics, correlation id and error type', async () => {
    expect(line(await exhausted(), 'info', 'Published failed message to DLQ: dead')).toMatchObject({
      original_topic: 'work',
      dlq_topic: 'dead',
      correlation_id: 'c-1',
      error_type: 'Error',
    })
  })

  it('seed 003 log: a letter could not be published, with topics, correlation id and the error', async () => {
    const world = testingWorld()
    await world.consume(unavailable, { retry: { delayed: { retries: 0 } } })
    world.broker.faults.refuse('dead', 'refused')
    await world.put('job', message)
    expect(line(world, 'error', 'Failed to publish to DLQ topic dead')).toMatchObject({
      original_topic: 'work',
      dlq_topic: 'dead',
      correlation_id: 'c-1',
      dlq_error: expect.any(String),
    })
  })

  it('seed 003 sanitised: neither log lines nor events nor the letter show what the error says about a secret', async () => {
    const world = testingWorld()
    await world.consume(
      () => {
        throw new Error('login failed for password hunter2')
      },
      { retry: { delayed: { retries: 0 } } },
    )
    await world.put('job', message)
    const [letter] = await world.letters()
    const left = JSON.stringify([world.logs, world.told, letter?.headers])
    expect(left).toContain('Error: [REDACTED - potentially sensitive data]')
    expect(left).not.toContain('hunter2')
  })
})
