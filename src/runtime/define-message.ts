import { aFunction, objectWith } from '../core/option-checks.ts'
import { badOption, readOptions } from '../core/options.ts'
import { warilyRead } from '../core/wary.ts'
import { channelName } from './channel-options.ts'
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
  options?: DefineMessageOptions<T>,
): MessageDefinition<T> {
  channelName(type, 'defineMessage: type')
  const where = `defineMessage(${JSON.stringify(type)})`
  if (schema !== undefined && typeof warilyRead(warilyRead(schema, '~standard'), 'validate') !== 'function') {
    throw badOption(`${where}: schema`, schema, 'a Standard Schema validator (Zod, Valibot, ArkType, …); options come third')
  }
  const given = readOptions(options, ['key', 'codec', 'channel'], where)
  return {
    type,
    schema,
    key: given.has('key') ? given.required('key', aFunction<(value: T) => string>) : undefined,
    codec: given.read('codec', objectWith<Codec>(['encode', 'decode'], 'a codec, such as json, text or bytes'), json),
    channel: given.read('channel', channelName, type),
  }
}
