import {
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Failure } from '../core/failure.ts'
import { textHeader } from '../core/headers.ts'
import type { Header, Headers } from '../core/message.ts'
import { messagingSystem } from '../core/metrics/messaging-system.ts'
import type { ChannelScope } from './scope.ts'
import type { Turn } from './turn.ts'

/** Spans with seed 001's activity names and tags beside OpenTelemetry's own for messaging. */
export interface Tracing {
  /** The span of the whole consuming loop. */
  consuming(channel: string): Span
  handling(turn: Turn, scope: ChannelScope, run: () => unknown): unknown
  /** One call of a batch handler; linked to all who sent its messages, and a child of none. */
  batch(turns: readonly Turn[], scope: ChannelScope, run: () => unknown): Promise<unknown>
  deadLettering<T>(turn: Turn, failure: Failure, scope: ChannelScope, run: () => Promise<T>): Promise<T>
}

const name = 'redrive'

const fromHeaders: TextMapGetter<Headers> = {
  keys: (headers) => headers.map(([key]) => key),
  get: (headers, key) => textHeader(headers, key),
}

/** The trace context of whoever sends, as headers. */
export function traceHeaders(): Headers {
  const headers: Header[] = []
  propagation.inject(context.active(), headers, { set: (carrier, key, value) => void carrier.push([key, value]) })
  return headers
}

/** Tracing is decided once, when a consumer starts: without an SDK no message pays for it. */
export function findTracing(): Tracing | undefined {
  const provider = trace.getTracerProvider()
  const isRegistered = !('getDelegateTracer' in provider) || asProxy(provider).getDelegateTracer(name) !== undefined
  return isRegistered ? createTracing(provider.getTracer(name)) : undefined
}

function asProxy(provider: unknown): { getDelegateTracer(name: string): Tracer | undefined } {
  return provider as { getDelegateTracer(name: string): Tracer | undefined }
}

function createTracing(tracer: Tracer): Tracing {
  return {
    consuming: (channel) =>
      tracer.startSpan('MessageProcessingService.ProcessMessages', { root: true, attributes: { 'queue.name': channel } }),
    handling(turn, scope, run) {
      const parent = propagation.extract(ROOT_CONTEXT, turn.delivery.message.headers, fromHeaders)
      const span = tracer.startSpan(
        'MessageProcessingService.ProcessSingleMessage',
        { kind: SpanKind.CONSUMER, attributes: attributesOf(turn, scope) },
        parent,
      )
      return inside(trace.setSpan(parent, span), span, run)
    },
    batch(turns, scope, run) {
      const parents = turns.map((turn) => propagation.extract(ROOT_CONTEXT, turn.delivery.message.headers, fromHeaders))
      const links = parents.flatMap((parent) => linkTo(trace.getSpanContext(parent)))
      const attributes = { ...channelAttributes(scope), 'messaging.batch.message_count': turns.length }
      const span = tracer.startSpan(
        'MessageProcessingService.ProcessBatch',
        { kind: SpanKind.CONSUMER, attributes, links },
        ROOT_CONTEXT,
      )
      return inside(trace.setSpan(ROOT_CONTEXT, span), span, run)
    },
    deadLettering(turn, failure, scope, run) {
      const parent = propagation.extract(ROOT_CONTEXT, turn.delivery.message.headers, fromHeaders)
      const attributes = {
        ...attributesOf(turn, scope),
        'dlq.reason': failure.reason,
        'dlq.error_description': failure.description,
      }
      const span = tracer.startSpan('ServiceBusConnector.DeadLetterMessage', { kind: SpanKind.PRODUCER, attributes }, parent)
      return inside(trace.setSpan(parent, span), span, run)
    },
  }
}

function attributesOf(turn: Turn, scope: ChannelScope): Record<string, string | number> {
  const { message, deliveries } = turn.delivery
  return {
    ...channelAttributes(scope),
    'delivery.count': deliveries,
    ...(message.id !== undefined && { 'message.id': message.id, 'messaging.message.id': message.id }),
  }
}

function channelAttributes(scope: ChannelScope): Record<string, string> {
  return {
    'messaging.system': messagingSystem(scope.transport.name),
    'messaging.destination.name': scope.settings.name,
    'queue.name': scope.settings.name,
  }
}

function linkTo(sender: SpanContext | undefined): Link[] {
  return sender ? [{ context: sender }] : []
}

/** A span's status says that it failed and never why: the raw error may quote the payload. */
async function inside<T>(within: Context, span: Span, run: () => T): Promise<Awaited<T>> {
  try {
    return await context.with(within, run)
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}
