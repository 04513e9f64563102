import { RedriveError } from '../core/errors.ts'
import { type Codec, json } from './codec.ts'
import type { StandardSchema } from './standard-schema.ts'

/** A kind of message: its type, what a valid one looks like, what orders it and how it is written as bytes. */
export interface MessageDefinition<T = unknown> {
  readonly type: string
  readonly schema: StandardSchema<T> | undefined
  /** Messages with the same key are processed in the order in which they were sent. */
  readonly key: ((value: T) => string) | undefined
  readonly codec: Codec
  /** Where `producer.send` puts it unless told otherwise. */
  readonly channel: string
}

export interface DefineMessageOptions<T> {
  readonly key?: (value: T) => string
  readonly codec?: Codec
  /** Defaults to the type. */
  readonly channel?: string
}

export function defineMessage<T>(
  type: string,
  schema?: StandardSchema<T>,
  options: DefineMessageOptions<T> = {},
): MessageDefinition<T> {
  if (typeof type !== 'string' || type === '') {
    throw new RedriveError('bad-option', `defineMessage: type is ${JSON.stringify(type)}; allowed is a non-empty string`)
  }
  if (schema !== undefined && typeof schema['~standard']?.validate !== 'function') {
    throw new RedriveError(
      'bad-option',
      `defineMessage("${type}"): schema is no Standard Schema validator (Zod, Valibot, ArkType, …)`,
    )
  }
  return { type, schema, key: options.key, codec: options.codec ?? json, channel: options.channel ?? type }
}
