import { Buffer } from 'node:buffer'

/** An answer of a broker or a name server. */
export interface Answer {
  readonly code: number
  readonly fields: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Question {
  readonly code: number
  readonly fields?: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/**
 * RocketMQ's own protocol, in which brokers and name servers are asked for everything that the proxy does not know: four bytes of length,
 * four of which the lower three are the length of a header in JSON, the header, the body.
 */
export function encodeQuestion(opaque: number, { code, fields = {}, body = Buffer.alloc(0) }: Question): Buffer {
  const header = Buffer.from(JSON.stringify({ code, opaque, language: 'OTHER', version: 0, flag: 0, extFields: fields }))
  const lengths = Buffer.alloc(8)
  lengths.writeInt32BE(4 + header.length + body.length, 0)
  lengths.writeInt32BE(header.length, 4)
  return Buffer.concat([lengths, header, body])
}

interface Header {
  readonly code: number
  readonly opaque: number
  readonly extFields?: Readonly<Record<string, string>>
}

/** Cuts off the first frame that is complete. */
export function takeAnswer(
  bytes: Buffer,
): { readonly opaque: number; readonly answer: Answer; readonly rest: Buffer } | undefined {
  if (bytes.length < 8) return undefined
  const end = 4 + bytes.readInt32BE(0)
  if (bytes.length < end) return undefined
  const headerEnd = 8 + (bytes.readInt32BE(4) & 0xff_ff_ff)
  const { code, opaque, extFields = {} } = JSON.parse(bytes.toString('utf8', 8, headerEnd)) as Header
  return { opaque, answer: { code, fields: extFields, body: bytes.subarray(headerEnd, end) }, rest: bytes.subarray(end) }
}

/** JSON as RocketMQ writes it, in which numbers are names without quotes. */
export function parseLooseJson(text: string): unknown {
  const quoted = text.replaceAll(/"(?:[^"\\]|\\.)*"|([{,]\s*)(\d+)(?=\s*:)/g, (all, before?: string, number?: string) =>
    number === undefined ? all : `${before}"${number}"`,
  )
  return JSON.parse(quoted)
}
