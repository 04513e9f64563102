import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** What a handler did, as a process that may die at any moment can tell: one line at a time, appended, never buffered. */
export interface HandlerRecord {
  readonly what: 'started' | 'succeeded'
  readonly number: number
}

export function appendRecord(file: string, { what, number }: HandlerRecord): void {
  appendFileSync(file, `${what} ${number}\n`)
}

/** A line that was torn by a kill does not count: what it would have said did not happen. */
export function readRecords(file: string): readonly HandlerRecord[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => /^(started|succeeded) (\d+)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, what, number]) => ({ what: what as HandlerRecord['what'], number: Number(number) }))
}
