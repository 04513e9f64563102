import { describe, expect, it } from 'vitest'
import { Job, testingWorld } from '../../test/testing-world.ts'

describe('middleware', () => {
  it('wraps every handler, the first one added outermost', async () => {
    const world = testingWorld()
    const steps: string[] = []
    const consumer = world.consumer()
    for (const name of ['outer', 'inner']) {
      consumer.use(async (_, next) => {
        steps.push(`${name} in`)
        await next()
        steps.push(`${name} out`)
      })
    }
    consumer.channel('work', { deadLetter: 'dead' }).on(Job, () => steps.push('handler'))
    await consumer.start()
    await world.put(1)
    expect(steps).toEqual(['outer in', 'inner in', 'handler', 'inner out', 'outer out'])
  })

  it('sees what the handler throws and may turn it into success', async () => {
    const world = testingWorld()
    const consumer = world.consumer()
    consumer.use((_, next) => next().catch(() => {}))
    consumer.channel('work', { deadLetter: 'dead' }).on(Job, () => {
      throw new Error('x')
    })
    await consumer.start()
    await world.put(1)
    expect(world.of('completed')).toHaveLength(1)
  })

  it('cannot swallow an outcome that the handler asked for', async () => {
    const world = testingWorld()
    const consumer = world.consumer()
    consumer.use((_, next) => next().catch(() => {}))
    consumer.channel('work', { deadLetter: 'dead' }).on(Job, (_, ctx) => ctx.deadLetter('Mine'))
    await consumer.start()
    await world.put(1)
    expect(world.of('dead-lettered')).toMatchObject([{ reason: 'Mine' }])
  })

  it('runs again with every retry, so that its order cannot skip one', async () => {
    const world = testingWorld()
    let runs = 0
    const consumer = world.consumer()
    consumer.use((_, next) => ++runs && next())
    consumer.channel('work', { deadLetter: 'dead', retry: { immediate: 1 }, maxDeliveryCount: 2 }).on(Job, () => {
      throw new Error('x')
    })
    await consumer.start()
    await world.put(1)
    await world.clock.advance(3_600_000)
    expect(runs).toBe(4)
  })
})
