/**
 * A message is immutable, and it is bytes: nothing in Redrive decodes a body before the user's codec does, so that what is
 * dead-lettered or replayed is byte for byte what was sent.
 */
export interface Message {
  /** The producer's id. Absent on foreign messages whose producer set none; Redrive's own producer always sets one. */
  readonly id?: string
  /** `null` is a tombstone (Kafka) and is not the same as an empty body. */
  readonly body: Uint8Array | null
  readonly headers: Headers
  /** What orders messages and picks a partition. Bytes where the broker's key is not valid UTF-8. */
  readonly key?: string | Uint8Array
  readonly type?: string
  readonly contentType?: string
  readonly correlationId?: string
  /** What only the transport of this name can restore: AMQP properties, a Kafka timestamp, an SQS attribute's data type. */
  readonly native?: NativeProperties
}

export interface NativeProperties {
  readonly transport: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** A list and not a map: Kafka headers repeat and their order counts. */
export type Headers = readonly Header[]
export type Header = readonly [name: string, value: HeaderValue]

/** The union of what brokers can hold. Kafka holds bytes, AMQP tables nest, SQS knows text and binary only. */
export type HeaderValue = null | boolean | number | bigint | string | Uint8Array | Date | readonly HeaderValue[] | HeaderTable
export interface HeaderTable {
  readonly [name: string]: HeaderValue
}
