import { propagation, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testingWorld } from '../testing-world.ts'

const exporter = new InMemorySpanExporter()

beforeEach(() => {
  exporter.reset()
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
})

afterEach(() => {
  trace.disable()
  propagation.disable()
})

describe('spans of the seeds', () => {
  it('seed 001 activities: the loop, the single message and the dead letter, with their tags', async () => {
    const world = testingWorld()
    const consumer = await world.consume(
      () => {
        throw new Error('the gateway is unavailable')
      },
      { retry: { delayed: { retries: 0 } } },
    )
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    await world.put('job', { id: 'm-1', headers: [['traceparent', `00-${traceId}-00f067aa0ba902b7-01`]] })
    await consumer.stop()
    const spans = new Map(exporter.getFinishedSpans().map((span) => [span.name, span]))
    const tags = { 'message.id': 'm-1', 'delivery.count': 1, 'queue.name': 'work' }
    expect(spans.get('MessageProcessingService.ProcessMessages')?.attributes).toMatchObject({ 'queue.name': 'work' })
    expect(spans.get('MessageProcessingService.ProcessSingleMessage')?.attributes).toMatchObject(tags)
    expect(spans.get('MessageProcessingService.ProcessSingleMessage')?.spanContext().traceId).toBe(traceId)
    expect(spans.get('ServiceBusConnector.DeadLetterMessage')?.attributes).toMatchObject({
      ...tags,
      'dlq.reason': 'MaxDeliveryCountExceeded',
      'dlq.error_description': 'the gateway is unavailable',
    })
  })
})
