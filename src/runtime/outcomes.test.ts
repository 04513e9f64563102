import { describe, expect, it } from 'vitest'
import { testingWorld, type World } from '../../test/testing-world.ts'
import { InvalidMessageError, PermanentError, RetryableError } from '../core/tagged-errors.ts'

const graves = { deadLetter: 'dead', invalid: 'invalid' }

async function fates(world: World): Promise<string[]> {
  await world.clock.settle()
  const names = ['completed', 'retried', 'dead-lettered', 'invalid', 'discarded', 'released']
  return world.told.map(({ name }) => name).filter((name) => names.includes(name))
}

describe('what becomes of a message', () => {
  it('is completed when the handler resolves, whatever it resolves with', async () => {
    const world = testingWorld()
    await world.consume(async () => ({ error: 'not an error' }))
    await world.put(1)
    expect(await fates(world)).toEqual(['completed'])
    expect(await world.letters('work')).toEqual([])
  })

  it('is a matter of policy when the handler throws, whatever it throws', async () => {
    for (const thrown of [new Error('x'), 'text', undefined, null, 7, {}, Object.freeze([])]) {
      const world = testingWorld()
      await world.consume(() => Promise.reject(thrown))
      await world.put(1)
      expect(await fates(world)).toEqual(['retried'])
    }
  })

  it.each([
    ['retry', 'retried'],
    ['deadLetter', 'dead-lettered'],
    ['invalid', 'invalid'],
    ['discard', 'discarded'],
  ] as const)('is what the handler asks for: %s', async (verb, fate) => {
    const world = testingWorld()
    await world.consume((_, ctx) => ctx[verb](), graves)
    await world.put(1)
    expect(await fates(world)).toEqual([fate])
  })

  it('is what the handler asked for first, even when it caught that, asked again and returned', async () => {
    const world = testingWorld()
    await world.consume((_, ctx) => {
      for (const ask of [() => ctx.deadLetter('Fraud', 'looks odd'), () => ctx.discard(), () => ctx.retry()]) {
        try {
          ask()
        } catch {}
      }
      return 'fine'
    })
    await world.put(1)
    expect(await fates(world)).toEqual(['dead-lettered'])
    const description = 'looks odd'
    expect(world.of('dead-lettered')).toMatchObject([{ reason: 'Fraud', description, class: 'permanent' }])
  })

  it('is what the handler asked for, and not what it threw afterwards', async () => {
    const world = testingWorld()
    await world.consume((_, ctx) => {
      try {
        ctx.retry({ delay: '7s' })
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: careless handlers do this
        throw new PermanentError('cleaning up failed')
      }
    })
    await world.put(1)
    expect(world.of('retried')).toMatchObject([{ delayMs: 7000, class: 'retryable' }])
  })

  it.each([
    [new RetryableError('later', { delay: '3s' }), 'retried'],
    [new PermanentError('never', { reason: 'Closed' }), 'dead-lettered'],
    [new InvalidMessageError('nonsense'), 'invalid'],
  ])('is what a tagged error from deep down says, through wrappers: %s', async (cause, fate) => {
    const world = testingWorld()
    await world.consume(() => Promise.reject(new Error('the order failed', { cause: new Error('deeper', { cause }) })), graves)
    await world.put(1)
    expect(await fates(world)).toEqual([fate])
    if (fate === 'retried') expect(world.of('retried')).toMatchObject([{ delayMs: 3000 }])
  })

  it('keeps our own reasons even where the body holds the same word', async () => {
    const world = testingWorld()
    await world.consume((_, ctx) => ctx.deadLetter())
    await world.put('NonRetryableError')
    expect(world.of('dead-lettered')).toMatchObject([{ reason: 'NonRetryableError' }])
  })

  it('survives a reason that is no text', async () => {
    const world = testingWorld()
    await world.consume((_, ctx) => ctx.deadLetter(new Error('oops') as never))
    await world.put(1)
    expect(await fates(world)).toEqual(['dead-lettered'])
  })

  it('is never a release because the user calls an error cancelled: that would loop for ever', async () => {
    const world = testingWorld()
    await world.consume(() => Promise.reject(new TypeError('x')), {
      classify: { types: [{ type: TypeError, class: 'cancelled' }] },
    })
    await world.put(1)
    expect(await fates(world)).toEqual(['retried'])
  })

  it('is a failure like any other when its reason cannot even be read as text', async () => {
    const world = testingWorld()
    await world.consume((_, ctx) => ctx.deadLetter(Object.create(null) as never), { maxDeliveryCount: 1 })
    await world.put(1)
    expect(world.of('dead-lettered')).toMatchObject([{ errorType: 'TypeError', reason: 'MaxDeliveryCountExceeded' }])
  })
})
