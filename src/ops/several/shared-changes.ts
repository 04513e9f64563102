import { createChanges } from '../changes.ts'
import type { Change } from '../control-plane.ts'

/** What happens on a vault, whichever control plane does it: those of this process and, by way of the vault, all others. */
export interface SharedChanges {
  /** Something happened here. */
  tell(change: Change): void
  /** What another one told, as it was given to it; all of it that is not our own. */
  heard(text: string): readonly Change[]
  /** Others may have told what did not arrive. */
  missed(): void
  /** Everything, from wherever it came. */
  onChange(listener: (change: Change) => void): () => void
  close(): void
}

/** The server takes 8,000 bytes at a time. */
const mostBytes = 7900
/** Whoever is so far behind is told to look at everything. */
const mostWaiting = 1000

/**
 * `from` is a name that no other has: whoever tells something hears it, too. What is told while a message is on its way goes with the next one, and
 * of several about the same thing the last.
 */
export function createSharedChanges(from: string, send: (text: string) => Promise<void>): SharedChanges {
  const { tell, onChange, close } = createChanges()
  let waiting = new Map<string, Change>()
  let isSending = false
  let reports = 0

  function toOthers(change: Change): void {
    const about = change.kind === 'dead-lettered' ? `report ${++reports}` : aboutWhat(change)
    const before = waiting.get(about)
    waiting.delete(about)
    waiting.set(about, before ? together(before, change) : change)
    if (waiting.size > mostWaiting) waiting = new Map([['reset', { kind: 'reset' }]])
    if (!isSending) void sendAll()
  }

  async function sendAll(): Promise<void> {
    isSending = true
    while (waiting.size > 0) {
      const changes = [...waiting.values()]
      waiting = new Map()
      // Whoever does not hear of it looks for itself.
      for (const text of messages(from, changes)) await send(text).catch(() => {})
    }
    isSending = false
  }

  return {
    tell(change) {
      tell(change)
      toOthers(change)
    },
    heard(text) {
      const changes = read(text, from)
      for (const change of changes) tell(change)
      return changes
    },
    missed: () => tell({ kind: 'reset' }),
    onChange,
    close,
  }
}

interface Message {
  readonly from: string
  readonly changes: readonly Change[]
}

/** Several in one, as far as they fit; one that does not fit alone says that it is worth looking at everything. */
function messages(from: string, changes: readonly Change[]): readonly string[] {
  const texts: string[] = []
  let some: Change[] = []
  for (const change of changes.map((each) => (fits(from, [each]) ? each : ({ kind: 'reset' } as const)))) {
    if (some.length > 0 && !fits(from, [...some, change])) {
      texts.push(written(from, some))
      some = []
    }
    some.push(change)
  }
  return some.length > 0 ? [...texts, written(from, some)] : texts
}

function written(from: string, changes: readonly Change[]): string {
  return JSON.stringify({ from, changes } satisfies Message)
}

function fits(from: string, changes: readonly Change[]): boolean {
  return Buffer.byteLength(written(from, changes)) <= mostBytes
}

/** What was told about the same thing a moment before need not be told any more. */
function aboutWhat(change: Change): string {
  if (change.kind === 'replay') return `replay ${change.replay}`
  return change.kind === 'letters' ? `letters ${change.source}` : JSON.stringify(change)
}

function together(before: Change, change: Change): Change {
  if (before.kind !== 'letters' || change.kind !== 'letters') return change
  return { ...change, letters: before.letters + change.letters }
}

/** Whoever may notify on the server may write anything: what is none of ours is left alone. */
function read(text: string, own: string): readonly Change[] {
  try {
    const { from, changes } = JSON.parse(text) as Message
    return from === own || !Array.isArray(changes) ? [] : changes
  } catch {
    return []
  }
}
