import { describe, expect, it } from 'vitest'
import { testingWorld } from '../../test/testing-world.ts'
import { redriveHeaders } from '../core/letter.ts'
import { prometheusText } from '../core/metrics/prometheus-text.ts'

describe('metrics', () => {
  it('count by the names and labels of the seeds', async () => {
    const world = testingWorld()
    const consumer = await world.consume(
      async (value, ctx) => {
        await new Promise<void>((resolve) => world.clock.after(30, resolve))
        if (value === 'bad') ctx.deadLetter('Fraud "x"')
        if (value === 'again' && ctx.attempt === 1) throw new TypeError('x')
      },
      { maxDeliveryCount: 2 },
    )
    world.broker.faults.once('settle.move', { fail: 'refused' })
    for (const value of ['good', 'again', 'bad']) await world.put(value)
    await world.put('bad', { headers: [[redriveHeaders.replay, 'r-1']] })
    await world.clock.advance(60_000)
    const lines = prometheusText(consumer.metrics())
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('# HELP') && !line.includes('_bucket'))
    expect(lines).toEqual([
      '# TYPE messages_received_total counter',
      'messages_received_total{queue_name="work",replayed="false"} 4',
      'messages_received_total{queue_name="work",replayed="true"} 1',
      '# TYPE messages_completed_total counter',
      'messages_completed_total{queue_name="work"} 2',
      '# TYPE messages_retried_total counter',
      'messages_retried_total{queue_name="work"} 1',
      '# TYPE messages_released_total counter',
      'messages_released_total{queue_name="work"} 0',
      '# TYPE handler_failures_total counter',
      'handler_failures_total{queue_name="work"} 3',
      '# TYPE messages_deadlettered_total counter',
      'messages_deadlettered_total{queue_name="work",reason="Fraud \\"x\\"",replayed="false"} 1',
      'messages_deadlettered_total{queue_name="work",reason="Fraud \\"x\\"",replayed="true"} 1',
      '# TYPE dlq_messages_total counter',
      'dlq_messages_total{queue_name="work"} 2',
      '# TYPE dlq_messages_by_error_type counter',
      'dlq_messages_by_error_type{error_type="HandlerOutcome"} 2',
      '# TYPE dlq_messages_by_topic counter',
      'dlq_messages_by_topic{original_topic="work"} 2',
      '# TYPE dlq_publish_failures_total counter',
      'dlq_publish_failures_total{queue_name="work"} 1',
      '# TYPE dlq_spooled_total counter',
      'dlq_spooled_total{queue_name="work"} 0',
      '# TYPE dlq_spool_failures_total counter',
      'dlq_spool_failures_total{queue_name="work"} 0',
      '# TYPE dlq_spool_depth gauge',
      'dlq_spool_depth{queue_name="work"} 0',
      '# TYPE dlq_spool_aside gauge',
      'dlq_spool_aside{queue_name="work"} 0',
      '# TYPE messages_in_flight gauge',
      'messages_in_flight{queue_name="work"} 0',
      '# TYPE messages_held gauge',
      'messages_held{queue_name="work"} 0',
      '# TYPE messages_parked gauge',
      'messages_parked{queue_name="work"} 0',
      '# TYPE breaker_open gauge',
      'breaker_open{queue_name="work"} 0',
      '# TYPE breaker_trips_total counter',
      'breaker_trips_total{queue_name="work"} 0',
      '# TYPE batches_split_total counter',
      'batches_split_total{queue_name="work"} 0',
      '# TYPE handler_duration_seconds histogram',
      'handler_duration_seconds_sum{queue_name="work",replayed="false"} 0.12',
      'handler_duration_seconds_count{queue_name="work",replayed="false"} 4',
      'handler_duration_seconds_sum{queue_name="work",replayed="true"} 0.03',
      'handler_duration_seconds_count{queue_name="work",replayed="true"} 1',
      '# TYPE messaging_client_consumed_messages_total counter',
      'messaging_client_consumed_messages_total{messaging_system="memory",messaging_operation_name="receive",messaging_destination_name="work",replayed="false"} 4',
      'messaging_client_consumed_messages_total{messaging_system="memory",messaging_operation_name="receive",messaging_destination_name="work",replayed="true"} 1',
      '# TYPE messaging_process_duration_seconds histogram',
      'messaging_process_duration_seconds_sum{messaging_system="memory",messaging_operation_name="process",messaging_destination_name="work",replayed="false"} 0.12',
      'messaging_process_duration_seconds_count{messaging_system="memory",messaging_operation_name="process",messaging_destination_name="work",replayed="false"} 4',
      'messaging_process_duration_seconds_sum{messaging_system="memory",messaging_operation_name="process",messaging_destination_name="work",replayed="true"} 0.03',
      'messaging_process_duration_seconds_count{messaging_system="memory",messaging_operation_name="process",messaging_destination_name="work",replayed="true"} 1',
    ])
  })

  it('put durations into cumulative buckets', async () => {
    const world = testingWorld()
    const consumer = await world.consume(() => new Promise<void>((resolve) => world.clock.after(30, resolve)))
    await world.put(1)
    await world.clock.advance(1000)
    const text = prometheusText(consumer.metrics())
    expect(text).toContain('handler_duration_seconds_bucket{queue_name="work",replayed="false",le="0.025"} 0\n')
    expect(text).toContain('handler_duration_seconds_bucket{queue_name="work",replayed="false",le="0.05"} 1\n')
    expect(text).toContain('handler_duration_seconds_bucket{queue_name="work",replayed="false",le="+Inf"} 1\n')
  })

  it('do not grow without bound, however many error types there are', async () => {
    const world = testingWorld()
    const consumer = await world.consume((value) => Promise.reject(Object.assign(new Error('x'), { name: `E${value}` })), {
      maxDeliveryCount: 1,
      breaker: false,
    })
    for (let n = 0; n < 300; n++) await world.put(n)
    const family = consumer.metrics().find(({ name }) => name === 'dlq_messages_by_error_type')
    expect(family?.points.length).toBeLessThanOrEqual(201)
    expect(family?.points.at(-1)).toMatchObject({ labels: { error_type: 'other' }, value: 100 })
  })
})
