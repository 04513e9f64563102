/**
 * How bytes look when somebody printed them: an error that says `<Buffer 7b 22 …>`, or holds base64, quotes the body as surely
 * as one that holds its words.
 */
interface Encoding {
  /** Finds what may be printed bytes. Long enough that ordinary words are not taken for them. */
  readonly run: RegExp
  /** Every way to read a run, since it may begin in the middle of a byte. */
  readonly readings: (run: string) => readonly Uint8Array[]
}

const encodings: readonly Encoding[] = [
  { run: /[A-Za-z0-9+/_-]{16,}/g, readings: (run) => [0, 1, 2, 3].map((skipped) => fromBase64(run.slice(skipped))) },
  { run: /[0-9a-f]{12,}/gi, readings: (run) => [fromHex(run), fromHex(run.slice(1))] },
  { run: /(?:[0-9a-f]{2} ){5,}[0-9a-f]{2}/gi, readings: (run) => [fromHex(run.replaceAll(' ', ''))] },
  { run: /(?:\d{1,3}, ?){5,}\d{1,3}/g, readings: (run) => [Uint8Array.from(run.split(','), Number)] },
]

/** Turns ordinary sentences away in one go. */
const anyRun = /[a-z0-9+/_-]{12}|(?:[0-9a-f]{2} ){5}|(?:\d{1,3}, ?){5}/i

/** All bytes that the text may be printing. */
export function printedBytes(text: string): readonly Uint8Array[] {
  if (!anyRun.test(text)) return []
  return encodings.flatMap(({ run, readings }) => (text.match(run) ?? []).flatMap(readings))
}

function fromBase64(text: string): Uint8Array {
  const whole = text.slice(0, text.length - (text.length % 4))
  const binary = atob(whole.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor(text.length / 2))
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16)
  return bytes
}
