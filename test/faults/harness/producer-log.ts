import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** What a producer knows about one message: that it is about to be sent, and that the broker has taken it. */
export interface ProducerRecord {
  readonly what: 'tried' | 'confirmed'
  readonly number: number
}

export function appendProduced(file: string, { what, number }: ProducerRecord): void {
  appendFileSync(file, `${what} ${number}\n`)
}

export interface Produced {
  readonly tried: ReadonlySet<number>
  readonly confirmed: readonly number[]
}

export function readProduced(file: string): Produced {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const numbers = (what: string): number[] =>
    lines.filter((line) => line.startsWith(`${what} `)).map((line) => Number(line.slice(what.length + 1)))
  return { tried: new Set(numbers('tried')), confirmed: numbers('confirmed') }
}
