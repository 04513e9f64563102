import { globAnyCase } from '../glob.ts'
import { withoutHeaders } from '../headers.ts'
import { redriveHeaders } from '../letter.ts'
import type { Message } from '../message.ts'
import { letterHeaderNames } from './letter-headers.ts'
import { onexOriginal } from './onex-original.ts'
import { dialectReaders } from './readers.ts'

/**
 * The message that died, from the letter that somebody made of it: without what its dialect and we wrote about the failure, and taken out of
 * the letter where the dialect wraps it. What nobody recognised goes back as it is.
 */
export function originalOf(letter: Message, dialect: string): Message {
  const message = (dialect === 'onex' ? onexOriginal(letter) : undefined) ?? letter
  const added = addedBy(message, dialect)
  const headers = withoutHeaders(message.headers, (name) => isOurs(name) || added.some((matches) => matches(name)))
  return { ...message, headers }
}

/**
 * What the dialect adds, and every other one whose own names are on the letter: a message may have died in several systems, and our runtime
 * writes its own headers beside those of the dialect that it was told to use. Brokers and bridges change the case of names, as readers know.
 */
function addedBy({ headers }: Message, dialect: string): readonly ((name: string) => boolean)[] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const left = known.filter(
    ({ reader: { name, confidence, signs } }) =>
      name === dialect || (confidence === 'certain' && signs.some((sign) => names.has(sign.toLowerCase()))),
  )
  return left.flatMap(({ adds }) => adds)
}

const known = dialectReaders.map((reader) => ({ reader, adds: reader.headers.map(globAnyCase) }))

function isOurs(name: string): boolean {
  return letterHeaderNames.has(name) || name === redriveHeaders.replay
}
