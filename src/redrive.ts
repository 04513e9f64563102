/** The front door of the package: what `import … from 'redrive'` gives. Transports have doors of their own (`redrive/embedded`). */
// biome-ignore-all lint/performance/noBarrelFile: a package needs one door

export { type ErrorCode, RedriveError } from './core/errors.ts'
export type { Header, Headers, HeaderValue, Message } from './core/message.ts'
export type { PolicyOptions } from './core/policy-options.ts'
export { InvalidMessageError, PermanentError, RetryableError } from './core/tagged-errors.ts'
export type { ChannelBuilder } from './runtime/channel.ts'
export type { ChannelOptions } from './runtime/channel-options.ts'
export { bytes, type Codec, json, text } from './runtime/codec.ts'
export { type ChannelState, type Consumer, createConsumer } from './runtime/consumer.ts'
export type { ConsumerOptions } from './runtime/consumer-options.ts'
export type { Context } from './runtime/context.ts'
export { type DefineMessageOptions, defineMessage, type MessageDefinition } from './runtime/define-message.ts'
export type { ConsumerEvents, FailureEvent, MessageEvent } from './runtime/events.ts'
export type { Logger } from './runtime/logger.ts'
export { type MetricFamily, prometheusText } from './runtime/metrics.ts'
export { createProducer, type ProduceOptions, type Producer, type ProducerOptions } from './runtime/producer.ts'
export type { Handler, Middleware } from './runtime/routes.ts'
