/** Turns values into bytes and back. Throwing in `decode` makes a message invalid, never failed. */
export interface Codec {
  readonly contentType: string
  encode(value: unknown): Uint8Array
  decode(body: Uint8Array | null): unknown
}

const encoder = new TextEncoder()
const strictDecoder = new TextDecoder('utf-8', { fatal: true })

export const json: Codec = {
  contentType: 'application/json',
  encode(value) {
    const text = JSON.stringify(value)
    if (text === undefined) throw new TypeError('the value has no JSON form')
    return encoder.encode(text)
  },
  decode: (body) => (body === null ? null : JSON.parse(strictDecoder.decode(body))),
}

/** For handlers that want the bytes as they are. */
export const bytes: Codec = {
  contentType: 'application/octet-stream',
  encode(value) {
    if (value instanceof Uint8Array) return value
    throw new TypeError('the bytes codec takes a Uint8Array')
  },
  decode: (body) => body,
}

export const text: Codec = {
  contentType: 'text/plain; charset=utf-8',
  encode: (value) => encoder.encode(String(value)),
  decode: (body) => (body === null ? null : strictDecoder.decode(body)),
}
