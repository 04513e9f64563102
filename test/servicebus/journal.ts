import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import type { EntitySettings } from './namespace.ts'

/** What happened in a namespace, as far as it has to be known again after a crash. */
export type JournalRecord =
  | {
      readonly kind: 'entity'
      readonly type: 'queue' | 'topic' | 'subscription'
      readonly path: string
      readonly settings: EntitySettings
    }
  | { readonly kind: 'removed'; readonly path: string }
  | ({ readonly kind: 'put'; readonly store: string } & KeptEntry)
  | { readonly kind: 'gone' | 'locked'; readonly store: string; readonly sequence: number }
  | { readonly kind: 'session'; readonly path: string; readonly id: string; readonly state?: string }

/** A message in its store. Its bytes are those of the wire, as base64. */
export interface KeptEntry {
  readonly sequence: number
  readonly bytes: string
  readonly enqueuedAt: number
  /** `null`: never. */
  readonly expiresAt: number | null
  readonly deliveryCount: number
  readonly state: 'active' | 'scheduled' | 'deferred'
  readonly deferred: boolean
  readonly deadLetterSource?: string
}

/**
 * A file to which everything is written before anybody is told that it was done: a process that is killed loses nothing that it
 * confirmed. It is not synced, so that a machine that loses its power may.
 */
export interface Journal {
  write(record: JournalRecord): void
  /** What is written inside is one line: after a crash all of it is there, or nothing. */
  together<T>(work: () => T): T
  /** Everything that was written before, in order; meanwhile nothing is. */
  replay(apply: (record: JournalRecord) => void): void
  close(): void
}

/** For a server that lives no longer than its test. */
export const noJournal: Journal = { write() {}, together: (work) => work(), replay() {}, close() {} }

/** Of some kinds only, for showing what the others are good for. */
export function openJournal(path: string, only?: readonly JournalRecord['kind'][]): Journal {
  const file = openSync(path, 'a')
  let gathered: JournalRecord[] | undefined
  let isReplaying = false

  function writeLine(records: readonly JournalRecord[]): void {
    if (records.length > 0) writeSync(file, `${JSON.stringify(records)}\n`)
  }

  return {
    write(record) {
      if (isReplaying || only?.includes(record.kind) === false) return
      if (gathered) gathered.push(record)
      else writeLine([record])
    },
    together(work) {
      if (gathered) return work()
      const lines: JournalRecord[] = []
      gathered = lines
      try {
        return work()
      } finally {
        gathered = undefined
        writeLine(lines)
      }
    },
    replay(apply) {
      isReplaying = true
      for (const line of wholeLines(path)) for (const record of JSON.parse(line) as JournalRecord[]) apply(record)
      isReplaying = false
    },
    close: () => closeSync(file),
  }
}

/** Whoever was killed while it wrote a line had told nobody of it: the piece is cut off. */
function wholeLines(path: string): readonly string[] {
  const bytes = readFileSync(path)
  const end = bytes.lastIndexOf(0x0a) + 1
  if (end < bytes.length) truncateSync(path, end)
  return bytes.subarray(0, end).toString().split('\n').filter(Boolean)
}
