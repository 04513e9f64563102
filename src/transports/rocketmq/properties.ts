import { utf8Length } from '../../core/headers.ts'
import type { Header } from '../../core/message.ts'

/** Everything of a message that is no plain text, as one property. */
export const packedName = 'redrive'
/** The proxy takes so many properties of one message, and so many bytes of them. */
const mostProperties = 128
const mostBytes = 16 * 1024
/** The broker adds its own. */
export const roomForProperties: number = mostProperties - 8
export const roomForBytes: number = mostBytes - 512

/** What RocketMQ does not take in a property: an empty value, and every control character. */
export function isPlainText(text: string): boolean {
  return text.length > 0 && !/[\u0000-\u001f\u007f-\u009f]/.test(text) && text.isWellFormed()
}

/** Whether it can stand as a property of its own, where others than us read it. Names of the broker's own have no small letters. */
export function isProperty([name, value]: Header): boolean {
  if (!/^(?!redrive(-|$)|__)(?=.*[a-z])[A-Za-z][\w.-]{0,126}$/.test(name)) return false
  return typeof value === 'string' && value.length < mostBytes && isPlainText(value)
}

/** JSON escapes the control characters below the space; these it leaves as they are, and the proxy does not take them. */
export function escaped(json: string): string {
  return json.replaceAll(/[\u007f-\u009f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** As the broker writes them down: name and value with a separator behind each. */
export function weightOf(properties: ReadonlyMap<string, string>): number {
  let bytes = 0
  for (const [name, value] of properties) bytes += utf8Length(name) + utf8Length(value) + 2
  return bytes
}
