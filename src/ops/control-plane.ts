import type { LedgerCounts } from '../core/canary.ts'
import type { HeaderValue, Message } from '../core/message.ts'
import type { CauseState } from '../vault/cause-states.ts'
import type { KnownCause } from '../vault/operations/causes.ts'
import type { KnownEdit } from '../vault/operations/edits.ts'
import type { Letter } from '../vault/operations/letters.ts'
import type { Note } from '../vault/operations/notes.ts'
import type { LedgerLine } from '../vault/operations/replays.ts'
import type { KnownSource } from '../vault/operations/sources.ts'
import type { LedgerState, Replay } from '../vault/replay-rows.ts'
import type { ExportedLetter } from './exported-letter.ts'
import type { Preview, Wishes } from './replay/plan-replay.ts'

/**
 * Everything that people do with letters, in one place: the server offers it over HTTP, and the command line uses it either over HTTP or on
 * the file of a vault. Who may do what is the server's business; `actor` is who does it. All of it rejects with a `RedriveError`.
 */
export interface ControlPlane {
  readonly letters: Letters
  readonly causes: Causes
  readonly replays: Replays
  sources(): Promise<readonly SourceStatus[]>
  /** Every letter, replay and note that bears this correlation id, in the order of time. */
  trace(correlationId: string): Promise<readonly TraceEvent[]>
  /** Calls back whenever something changed; the result ends that. */
  onChange(listener: (change: Change) => void): () => void
  close(): Promise<void>
}

/** Letters by a filter in the words of docs/filters.md, or one by one. */
export type Selection = { readonly filter: string } | { readonly letters: readonly number[] }

export interface Letters {
  /** The newest first. `next` is what `before` of the next page is; absent on the last one. */
  find(query: { readonly filter?: string; readonly limit: number; readonly before?: number }): Promise<LetterPage>
  show(id: number): Promise<LetterDetail>
  /** The whole letter, payload included. Whoever offers it masks it and notes who read it. */
  content(id: number): Promise<Message>
  /** A changed copy, which a replay sends instead; the original stays. */
  edit(id: number, edit: Edit): Promise<{ readonly id: number }>
  /** By letter, the newest edit; those that were never changed are missing. */
  newestEdits(letters: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** Out of sight, and back again with `restore` until retention takes them. */
  discard(selection: Selection, by: By): Promise<Counted>
  restore(selection: Selection, by: By): Promise<Counted>
  /** For good; their identities are remembered, so that the broker's copies are not taken for new letters. */
  purge(selection: Selection, by: By): Promise<Counted>
  /** Shreds what a letter holds; that there was one stays known. */
  erase(id: number, by: By): Promise<void>
  note(id: number, text: string, by: By): Promise<void>
  /** The newest first, in a form that goes into a file; `next` as with `find`. The payload only with `bodies`. */
  export(query: {
    readonly filter?: string
    readonly limit: number
    readonly before?: number
    readonly bodies: boolean
  }): Promise<{ readonly letters: readonly ExportedLetter[]; readonly next?: number }>
  /** Tells how many were kept: one that is here already, or was purged here, stays as it is. */
  import(letters: readonly ExportedLetter[], by: By): Promise<Counted>
}

export interface LetterPage {
  readonly letters: readonly Letter[]
  readonly next?: number
}

export interface LetterDetail {
  readonly letter: Letter
  readonly source: KnownSource
  readonly cause: KnownCause
  readonly notes: readonly Note[]
  readonly edits: readonly KnownEdit[]
  readonly replays: readonly (LedgerLine & { readonly replay: number })[]
}

export interface Edit extends By {
  /** Absent: as it was. */
  readonly body?: Uint8Array | null
  readonly headers?: readonly (readonly [name: string, value: HeaderValue])[]
}

export interface By {
  readonly actor: string
}

export interface Counted {
  /** How many it was done to; the others of the selection were in a state that does not allow it. */
  readonly letters: number
}

export interface Causes {
  list(query: {
    readonly state?: CauseState
    readonly limit: number
    readonly after?: { readonly lastAt: number; readonly id: number }
  }): Promise<{ readonly causes: readonly KnownCause[]; readonly next?: { readonly lastAt: number; readonly id: number } }>
  show(id: number): Promise<CauseDetail>
  judge(id: number, judgement: { readonly state: CauseState; readonly fixedIn?: string } & By): Promise<KnownCause>
  own(id: number, owner: { readonly owner: string | null } & By): Promise<KnownCause>
  note(id: number, text: string, by: By): Promise<void>
}

export interface CauseDetail {
  readonly cause: KnownCause
  readonly notes: readonly Note[]
  /** Letters of each hour of the last week. */
  readonly history: readonly { readonly hour: number; readonly letters: number }[]
}

export interface ReplayWishes extends Wishes, By {
  readonly name: string
  /** By letter: the edit that goes instead of it. */
  readonly edits?: ReadonlyMap<number, number>
}

export interface Replays {
  /** What it would do; nothing is written. */
  preview(selection: Selection, wishes: Wishes): Promise<Preview>
  /** Freezes it. It sends nothing before `start`. */
  seal(selection: Selection, wishes: ReplayWishes): Promise<ReplayDetail>
  start(id: number, by: By): Promise<ReplayDetail>
  pause(id: number, by: By): Promise<ReplayDetail>
  resume(id: number, by: By): Promise<ReplayDetail>
  /** What was not sent is open again. */
  cancel(id: number, by: By): Promise<ReplayDetail>
  show(id: number): Promise<ReplayDetail>
  list(query: { readonly limit: number; readonly before?: number }): Promise<readonly Replay[]>
  ledger(query: {
    readonly replay: number
    readonly state?: LedgerState
    readonly after: number
    readonly limit: number
  }): Promise<readonly LedgerLine[]>
  /** A person has looked at letters of which nobody knows whether they were sent, and says what they are. */
  decideUnknown(letters: readonly number[], verdict: 'open' | 'assumed', by: By): Promise<Counted>
}

export interface ReplayDetail {
  readonly replay: Replay
  readonly counts: LedgerCounts
}

export interface SourceStatus {
  readonly source: KnownSource
  readonly mode: 'watch' | 'follow' | 'collect' | 'not-configured'
  /** What lies on the broker and is not in the vault; `unknown` since the probe failed, and never 0 then. */
  readonly onBroker:
    | { readonly letters: number; readonly at: number }
    | { readonly unknownSince: number; readonly problem: string }
  /** What asks for attention: on the broker and not collected, and unresolved in the vault, each once. */
  readonly unresolved: number
  /** The probe failed: there may be more than that, and it is never shown as all there is. */
  readonly isAtLeast: boolean
}

export type TraceEvent =
  | { readonly kind: 'failed'; readonly at: number; readonly letter: Letter }
  | {
      readonly kind: 'replayed'
      readonly at: number
      readonly letter: number
      readonly replay: number
      readonly outcome: LedgerState
    }
  | { readonly kind: 'note'; readonly at: number; readonly letter: number; readonly note: Note }

/** What changed, so that whoever looks at it may look again. */
export type Change =
  | { readonly kind: 'letters'; readonly source: number; readonly letters: number }
  | { readonly kind: 'cause'; readonly cause: number }
  | { readonly kind: 'replay'; readonly replay: number; readonly counts: LedgerCounts }
  | { readonly kind: 'problem'; readonly source: string; readonly code: string }
