import { describe, expect, it } from 'vitest'
import { prometheusText } from '../../src/core/metrics/prometheus-text.ts'
import type { Consumer } from '../../src/runtime/consumer.ts'
import { testingWorld, type World } from '../testing-world.ts'

/** One message that succeeds, one that never does, and one of these that a replay sent back. */
async function busyWorld(): Promise<{ world: World; consumer: Consumer }> {
  const world = testingWorld()
  const consumer = await world.consume((value) => {
    if (value === 'bad') throw new RangeError('the gateway is unavailable')
  })
  await world.put('good')
  await world.put('bad')
  await world.put('bad', { headers: [['redrive-replay', 'r-1']] })
  await world.clock.advance(3_600_000)
  return { world, consumer }
}

describe('metrics of the seeds', () => {
  it.each([
    ['seed 001', 'messages_deadlettered_total{queue_name="work",reason="MaxDeliveryCountExceeded",replayed="false"} 1'],
    ['seed 001', 'messages_received_total{queue_name="work",replayed="false"} 4'],
    ['seed 002', 'messages_retried_total{queue_name="work"} 4'],
    ['seed 003', 'dlq_messages_total{queue_name="work"} 2'],
    ['seed 003', 'dlq_messages_by_error_type{error_type="RangeError"} 2'],
    ['seed 003', 'dlq_messages_by_topic{original_topic="work"} 2'],
    ['seed 003', 'dlq_publish_failures_total{queue_name="work"} 0'],
    ['seed 003', 'messages_deadlettered_total{queue_name="work",reason="MaxDeliveryCountExceeded",replayed="true"} 1'],
  ])('%s metric: %s', async (_, line) => {
    const { consumer } = await busyWorld()
    expect(prometheusText(consumer.metrics()).split('\n')).toContain(line)
  })

  it('seed 003 metric: a letter that could not be published is counted, and the next message is processed', async () => {
    const world = testingWorld()
    const done: unknown[] = []
    const consumer = await world.consume(
      (value) => {
        if (value === 'bad') throw new Error('the gateway is unavailable')
        done.push(value)
      },
      { retry: { delayed: { retries: 0 } } },
    )
    world.broker.faults.refuse('dead', 'refused')
    await world.put('bad')
    await world.put('good')
    expect(prometheusText(consumer.metrics())).toContain('dlq_publish_failures_total{queue_name="work"} 1')
    expect(done).toEqual(['good'])
  })
})
