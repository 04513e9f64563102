import { present } from '../present.ts'
import { type LetterFields, letterFields } from './letter-fields.ts'
import type { ReadFailure } from './reading.ts'

/**
 * What Spring Kafka wrote about the error of the last death, which begins with the class of the exception. It takes off what an earlier
 * death wrote only where it has the same to say, so that a cause, a text or a key that stands in front of that class is no longer true.
 */
export function springError(letter: LetterFields, prefix: string): Pick<ReadFailure, 'errorType' | 'errorMessage' | 'stack'> {
  const [value, key] = [`${prefix}exception-`, `${prefix}key-exception-`]
  const last = sinceLast(letter, [`${value}fqcn`, `${key}fqcn`])
  return present({
    errorType: last.lastText(`${value}cause-fqcn`, `${value}fqcn`, `${key}fqcn`),
    errorMessage: last.lastText(`${value}message`, `${key}message`),
    stack: last.lastText(`${value}stacktrace`, `${key}stacktrace`),
  })
}

/** The letter without the headers before the last one of these names; whole where it has none of them. */
function sinceLast(letter: LetterFields, names: readonly string[]): LetterFields {
  const { channel, message } = letter
  const start = message.headers.findLastIndex(([name]) => names.includes(name.toLowerCase()))
  return start < 1 ? letter : letterFields({ channel, message: { ...message, headers: message.headers.slice(start) } })
}
