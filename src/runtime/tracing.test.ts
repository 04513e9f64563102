import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { allDone, playBatches } from '../../test/batch-play.ts'
import { Job, testingWorld } from '../../test/testing-world.ts'
import { createProducer } from './producer.ts'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
propagation.setGlobalPropagator(new W3CTraceContextPropagator())
beforeEach(() => exporter.reset())
afterAll(() => {
  trace.disable()
  context.disable()
  propagation.disable()
})

const spansOf = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name)

describe('spans', () => {
  it('have seed 001’s activities and tags', async () => {
    const world = testingWorld()
    const consumer = await world.consume(() => Promise.reject(new TypeError('no route')), { maxDeliveryCount: 1 })
    await world.put(1, { id: 'm-1' })
    await consumer.stop()
    const [handling] = spansOf('MessageProcessingService.ProcessSingleMessage')
    expect(handling?.attributes).toMatchObject({ 'message.id': 'm-1', 'delivery.count': 1, 'queue.name': 'work' })
    expect(handling?.status).toEqual({ code: SpanStatusCode.ERROR })
    const [burial] = spansOf('ServiceBusConnector.DeadLetterMessage')
    expect(burial?.attributes).toMatchObject({
      'message.id': 'm-1',
      'queue.name': 'work',
      'dlq.reason': 'MaxDeliveryCountExceeded',
      'dlq.error_description': 'no route',
    })
    expect(spansOf('MessageProcessingService.ProcessMessages')[0]?.attributes).toEqual({ 'queue.name': 'work' })
  })

  it('hold nothing of the payload, whatever the handler throws', async () => {
    const world = testingWorld()
    const consumer = await world.consume((value) => Promise.reject(new Error(`cannot use ${value}`)), { maxDeliveryCount: 1 })
    await world.put('body-quoted-7781')
    await consumer.stop()
    const told = exporter.getFinishedSpans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
    expect(told).toHaveLength(3)
    expect(JSON.stringify(told)).not.toContain('body-quoted')
  })

  it('link a batch to everybody who sent one of its messages, beside the span of each message', async () => {
    const { world, consumer, put } = await playBatches((messages) => {
      trace.getTracer('test').startSpan('inside').end()
      return allDone(messages)
    })
    exporter.reset()
    const producer = createProducer({ transport: world.broker, platform: world.platform })
    const senders = ['one', 'two'].map((name) => trace.getTracer('test').startSpan(name))
    for (const span of senders) {
      await context.with(trace.setSpan(context.active(), span), () =>
        producer.send(Job, span.spanContext().spanId, { channel: 'work' }),
      )
    }
    await put('untraced')
    await world.clock.advance(1000)
    await consumer.stop()
    const [batch] = spansOf('MessageProcessingService.ProcessBatch')
    expect(batch?.attributes).toMatchObject({ 'queue.name': 'work', 'messaging.batch.message_count': 3 })
    expect(batch?.links.map((link) => link.context.spanId)).toEqual(senders.map((span) => span.spanContext().spanId))
    expect([batch?.parentSpanContext, spansOf('inside')[0]?.parentSpanContext?.spanId]).toEqual([
      undefined,
      batch?.spanContext().spanId,
    ])
    expect(spansOf('MessageProcessingService.ProcessSingleMessage')).toHaveLength(3)
  })

  it('carry the context from the producer through the headers into the handler and what it sends', async () => {
    const world = testingWorld()
    const producer = createProducer({ transport: world.broker, platform: world.platform })
    await world.consume(async (value) => {
      if (value === 'first') await producer.send(Job, 'second', { channel: 'work' })
    })
    const tracer = trace.getTracer('test')
    await tracer.startActiveSpan('request', async (span) => {
      await producer.send(Job, 'first', { channel: 'work' })
      span.end()
    })
    await world.clock.settle()
    const [request] = spansOf('request')
    const handled = spansOf('MessageProcessingService.ProcessSingleMessage')
    expect(handled).toHaveLength(2)
    expect(new Set(handled.map((span) => span.spanContext().traceId))).toEqual(new Set([request?.spanContext().traceId]))
    const first = handled.find((span) => span.parentSpanContext?.spanId === request?.spanContext().spanId)
    const second = handled.find((span) => span !== first)
    expect(second?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId)
  })
})
