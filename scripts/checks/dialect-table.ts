import { dialectReaders } from '../../src/core/dialects/readers.ts'
import type { DialectReader } from '../../src/core/dialects/reading.ts'
import { table } from './generated-sections.ts'

/** Whose letters are read, in the order in which the readers are asked. */
export function dialectTable(): string {
  return table(
    ['Dialect', 'Written by', 'Confidence', 'Recognised by', 'Adds to the message'],
    dialectReaders.map((reader) => [
      `\`${reader.name}\``,
      reader.producer,
      reader.confidence,
      signOf(reader),
      reader.headers.length === 0 ? 'no headers' : quoted(reader.headers),
    ]),
  )
}

function signOf({ signs, sign }: DialectReader): string {
  return sign ?? signs.map((name) => `\`${name}\``).join(' or ')
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
