import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** What a handler did, as a process that may die at any moment can tell: one line at a time, appended, never buffered. */
export interface HandlerRecord {
  /** `started` is written before anything else happens, so no run goes unseen; the others when it is known how it ended. */
  readonly what: 'started' | 'succeeded' | 'failed'
  readonly number: number
  /** Which process wrote it, where several share the log. */
  readonly life?: number
}

export function appendRecord(file: string, { what, number, life }: HandlerRecord): void {
  appendFileSync(file, life === undefined ? `${what} ${number}\n` : `${what} ${number} ${life}\n`)
}

/** A line that was torn by a kill does not count: what it would have said did not happen. */
export function readRecords(file: string): readonly HandlerRecord[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => /^(started|succeeded|failed) (\d+)(?: (\d+))?$/.exec(line))
    .filter((match) => match !== null)
    .map(([, what, number, life]) => ({
      what: what as HandlerRecord['what'],
      number: Number(number),
      ...(life !== undefined && { life: Number(life) }),
    }))
}
