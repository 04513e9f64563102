import type { MessageAttributeValue } from '@aws-sdk/client-sqs'
import { utf8Length } from '../../core/headers.ts'
import type { Header, HeaderValue } from '../../core/message.ts'

/** Amazon takes ten of them on one message. */
export const mostAttributes = 10
/** Everything of a message that is no plain text or bytes, as one attribute. */
export const packedName = 'redrive'
/** A body that is no text. */
export const bodyName = 'redrive-body'

export type Attributes = Record<string, MessageAttributeValue>

/** What Amazon does not take in a body or an attribute: controls, lone surrogates, and two that are no characters. */
const notText = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u

export function isPlainText(text: string): boolean {
  return text.length > 0 && !notText.test(text)
}

/** Whether it can stand as an attribute of its own, where others than us can read it. What is ours is packed. */
export function isAttribute([name, value]: Header): boolean {
  if (!/^(?!aws\.|amazon\.|redrive(-|$)|__proto__$|\.)[\w.-]{1,256}(?<!\.)$/i.test(name) || name.includes('..')) return false
  return typeof value === 'string' ? isPlainText(value) : value instanceof Uint8Array && value.byteLength > 0
}

/** `type` is the data type that it had when it was received, kept where the value still allows it. */
export function toAttribute(value: HeaderValue, type: unknown): MessageAttributeValue {
  const given = typeof type === 'string' ? type : ''
  if (value instanceof Uint8Array)
    return { DataType: isOf('Binary', given) ? given : 'Binary', BinaryValue: new Uint8Array(value) }
  const text = String(value)
  const isKept = isOf('String', given) || (isOf('Number', given) && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text))
  return { DataType: isKept ? given : 'String', StringValue: text }
}

/** A number stays text: it may have more digits than JavaScript counts with, and its type is remembered. */
export function fromAttribute({ BinaryValue, StringValue = '' }: MessageAttributeValue): string | Uint8Array {
  return BinaryValue === undefined ? StringValue : new Uint8Array(BinaryValue)
}

/** What the data type tells beyond the value itself. */
export function tellingType({ DataType = '' }: MessageAttributeValue): string | undefined {
  return DataType === 'String' || DataType === 'Binary' ? undefined : DataType
}

/** What Amazon counts against the limit of a message. */
export function weightOf(attributes: Attributes): number {
  return Object.entries(attributes).reduce(
    (sum, [name, { DataType = '', StringValue = '', BinaryValue }]) =>
      sum + utf8Length(name) + utf8Length(DataType) + utf8Length(StringValue) + (BinaryValue?.byteLength ?? 0),
    0,
  )
}

function isOf(kind: string, type: string): boolean {
  return type === kind || type.startsWith(`${kind}.`)
}
