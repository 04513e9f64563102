import type { Matcher } from '../core/alerts/matcher.ts'
import type { Rule } from '../core/alerts/rule.ts'
import type { SchemaVerdict } from '../core/body-check.ts'
import type { LedgerCounts, LedgerState } from '../core/canary.ts'
import type { ChannelReport, ConsumerReport, ReportAnswer, ReportedLetter, ReportedState } from '../core/consumer-report.ts'
import type { ConsumerState } from '../core/consumer-state.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { FailedRun } from '../core/failed-runs.ts'
import type { HeaderValue, Message } from '../core/message.ts'
import type { Scopes } from '../core/scopes.ts'
import type { CauseState } from '../vault/cause-states.ts'
import type { CauseDecision, CauseMember } from '../vault/operations/cause-decisions.ts'
import type { KnownCause } from '../vault/operations/causes.ts'
import type { GivenOrder, KnownConsumer } from '../vault/operations/consumers.ts'
import type { Delivery, DeliveryState } from '../vault/operations/deliveries.ts'
import type { KnownEdit } from '../vault/operations/edits.ts'
import type { Letter } from '../vault/operations/letters.ts'
import type { CauseNote, Note } from '../vault/operations/notes.ts'
import type { LedgerLine } from '../vault/operations/replays.ts'
import type { KnownSource, NamedSource } from '../vault/operations/sources.ts'
import type { Replay } from '../vault/replay-rows.ts'
import type { AsSeen } from '../vault/standing.ts'
import type { AlertStatus } from './alerts/alert-status.ts'
import type { SourceTrend, TrendWindow } from './alerts/source-trends.ts'
import type { RuleTest } from './alerts/test-rule.ts'
import type { Conservation } from './conservation.ts'
import type { ExportedLetter } from './exported-letter.ts'
import type { Preview, Wishes } from './replay/plan-replay.ts'
import type { SourceFinding } from './source-findings.ts'

/**
 * Everything that people do with letters, in one place: the server offers it over HTTP, and the command line uses it either over HTTP or on
 * the file of a vault. Who may do what is the server's business; `actor` is who does it. All of it rejects with a `RedriveError`.
 */
export interface ControlPlane {
  readonly letters: Letters
  readonly causes: Causes
  readonly replays: Replays
  readonly consumers: Consumers
  readonly alerts: Alerts
  sources(): Promise<readonly SourceStatus[]>
  /** How the numbers of the sources went, as far back as looks are kept. */
  trends(window: TrendWindow): Promise<readonly SourceTrend[]>
  /** What the brokers say about how the sources are set up there, as far as letters could be lost by it. */
  findings(): Promise<readonly SourceFinding[]>
  /** Whether every letter is accounted for, at this moment. */
  conservation(): Promise<Conservation>
  /** Every letter, replay and note that bears this correlation id, in the order of time. */
  trace(correlationId: string): Promise<readonly TraceEvent[]>
  /** Calls back whenever something changed; the result ends that. */
  onChange(listener: (change: Change) => void): () => void
  close(): Promise<void>
}

/**
 * Letters by a filter in the words of docs/filters.md, perhaps of some sources alone, or one by one. `before`: only those with a smaller id, so
 * that what comes while a person thinks is not among what they think about.
 */
export type Selection =
  | { readonly filter: string; readonly sources?: readonly number[]; readonly before?: number }
  | { readonly letters: readonly number[] }

export interface Letters {
  /** The newest first. `next` is what `before` of the next page is; absent on the last one. */
  find(query: {
    readonly filter?: string
    readonly limit: number
    readonly before?: number
    /** Only of these. */
    readonly sources?: readonly number[]
  }): Promise<LetterPage>
  show(id: number): Promise<LetterDetail>
  /**
   * The runs that failed, oldest first, as far as anybody wrote them down; of many, the first and the last ones. They stand in the letter's own
   * headers, so that all of it is read: only whoever shows them asks.
   */
  failedRuns(id: number): Promise<readonly FailedRun[]>
  /** The whole letter, payload included. Whoever offers it masks it and notes who read it. */
  content(id: number): Promise<Message>
  /** Whether a body would be as the schema of the letter wants it, where its source has one. Nothing is written. */
  checkBody(id: number, body: Uint8Array): Promise<SchemaVerdict>
  /** A changed copy, which a replay sends instead; the original stays. A changed body that breaks its schema is refused. */
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
  import(letters: readonly ExportedLetter[], by: By): Promise<Imported>
}

export interface LetterPage {
  readonly letters: readonly Letter[]
  readonly next?: number
}

export interface LetterDetail {
  readonly letter: Letter
  readonly source: NamedSource
  readonly cause: KnownCause
  readonly notes: readonly Note[]
  readonly edits: readonly KnownEdit[]
  readonly replays: readonly (LedgerLine & { readonly replay: number })[]
}

export interface Edit extends By, AsSeen {
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

export interface Imported extends Counted {
  /** Those that nobody exported like that, in their order. Nothing of them was kept. */
  readonly refused: readonly { readonly index: number; readonly code: ErrorCode; readonly message: string }[]
}

export interface Causes {
  list(query: {
    readonly state?: CauseState
    readonly limit: number
    readonly after?: { readonly lastAt: number; readonly id: number }
    /** Only causes with letters of these sources. */
    readonly sources?: readonly number[]
    /** Only causes with letters that match, in the words of docs/filters.md. */
    readonly filter?: string
  }): Promise<CausePage>
  show(id: number): Promise<CauseDetail>
  judge(id: number, judgement: { readonly state: CauseState; readonly fixedIn?: string } & By & AsSeen): Promise<KnownCause>
  own(id: number, owner: { readonly owner: string | null } & By & AsSeen): Promise<KnownCause>
  note(id: number, text: string, by: By & AsSeen): Promise<void>
  /** Says that others are this one: their letters stand under it from now on, and those that come. Tells what stands there then. */
  merge(id: number, merge: { readonly causes: readonly number[] } & Because & AsSeen): Promise<CauseDetail>
  /**
   * Says that what a rule means among the letters of a cause is another one, and tells that. Letters that come are judged by it at once; those that are
   * here are moved behind the answer.
   */
  split(id: number, split: { readonly rule: string; readonly title?: string } & Because & AsSeen): Promise<CauseDetail>
  /** Takes a decision back. Tells the cause that the letters stood under, as it is then. */
  undo(decision: number, because: Because): Promise<CauseDetail>
  decision(id: number): Promise<CauseDecision>
}

export interface Because extends By {
  /** Why. Whoever comes later wants to know. */
  readonly reason: string
}

export interface CausePage {
  readonly causes: readonly ListedCause[]
  readonly next?: { readonly lastAt: number; readonly id: number }
  /** So many letters match that not all were looked at: there may be more causes, and more letters of each. */
  readonly isPartial?: boolean
}

export interface ListedCause extends KnownCause {
  /** How many of its letters match, where a filter was given. */
  readonly matching?: number
}

export interface CauseDetail {
  readonly cause: KnownCause
  /** Also of what stands under it. */
  readonly notes: readonly CauseNote[]
  /** What was merged into it. */
  readonly members: readonly CauseMember[]
  /** What was said about it and about what stands under it, the newest first. */
  readonly decisions: readonly CauseDecision[]
  /** Letters of each hour of the last week. */
  readonly history: readonly { readonly hour: number; readonly letters: number }[]
}

export interface ReplayWishes extends Wishes, By {
  readonly name: string
  /** By letter: the edit that goes instead of it; or the newest of each that has one. Absent: all go as they died. */
  readonly edits?: ReadonlyMap<number, number> | 'newest'
}

export interface Replays {
  /** What it would do; nothing is written. */
  preview(selection: Selection, wishes: Wishes): Promise<Preview>
  /** Freezes it. It sends nothing before `start`. */
  seal(selection: Selection, wishes: ReplayWishes): Promise<ReplayDetail>
  start(id: number, by: By): Promise<ReplayDetail>
  /** It is started at this time, in epoch milliseconds, by the control plane that works then; or at another one than before. */
  schedule(id: number, schedule: { readonly at: number } & By): Promise<ReplayDetail>
  pause(id: number, by: By): Promise<ReplayDetail>
  resume(id: number, by: By): Promise<ReplayDetail>
  /** What was not sent is open again. */
  cancel(id: number, by: By): Promise<ReplayDetail>
  show(id: number): Promise<ReplayDetail>
  /** `of`: only those of somebody who was given some sources, as far as these and their destinations are still theirs. */
  list(query: { readonly limit: number; readonly before?: number; readonly of?: ReplayMaker }): Promise<readonly Replay[]>
  isWithinReach(id: number, of: ReplayMaker): Promise<boolean>
  ledger(query: {
    readonly replay: number
    readonly state?: LedgerState
    readonly after: number
    readonly limit: number
  }): Promise<readonly LedgerLine[]>
  /** A person has looked at letters of which nobody knows whether they were sent, and says what they are. */
  decideUnknown(letters: readonly number[], verdict: 'open' | 'assumed', by: By): Promise<Counted>
}

export interface ReplayMaker {
  readonly actor: string
  readonly scopes: Scopes
}

export interface ReplayDetail {
  readonly replay: Replay
  readonly counts: LedgerCounts
}

/** Consumers that report to this control plane, and what they are told to do. */
export interface Consumers {
  /** `scopes`: what whoever reports was given; what they say about letters that went elsewhere changes nothing. */
  report(report: ConsumerReport, scopes: Scopes): Promise<ReportAnswer>
  list(): Promise<readonly ConsumerStatus[]>
  /** All consumers of the service take no more from this channel from their next report on, also those that are started later. */
  pause(channel: ChannelName, by: By): Promise<GivenOrder>
  resume(channel: ChannelName, by: By): Promise<GivenOrder>
  /** One that will not come back; one that reports is refused. */
  forget(id: number, by: By): Promise<void>
}

export interface ChannelName {
  readonly service: string
  readonly channel: string
}

export interface ConsumerStatus extends Omit<KnownConsumer, 'isStopped' | 'channels'> {
  readonly state: ConsumerState
  /** It is not there any more, as far as anybody knows, and letters wait on its disk. */
  readonly hasAbandonedSpool: boolean
  readonly channels: readonly ChannelStatus[]
}

export interface ChannelStatus extends Omit<ChannelReport, 'state'> {
  readonly state: ReportedState | 'unknown'
  /** As it was last heard of. */
  readonly lastState: ReportedState
  /** What was last ordered; whether it was carried out says `state`. */
  readonly order: GivenOrder | null
}

/** Times are epoch milliseconds. */
export interface Alerts {
  /** `open`: those that are not over. The ones that changed last come first. */
  list(query: { readonly which: 'open' | 'all'; readonly limit: number }): Promise<readonly AlertStatus[]>
  show(fingerprint: string): Promise<AlertStatus>
  /** Somebody is at it: it is not repeated until then, and still told when it is over. */
  acknowledge(fingerprint: string, mark: { readonly until: number } & By): Promise<AlertStatus>
  unacknowledge(fingerprint: string, by: By): Promise<AlertStatus>
  /** Nothing about it until then. */
  snooze(fingerprint: string, mark: { readonly until: number } & By): Promise<AlertStatus>
  unsnooze(fingerprint: string, by: By): Promise<AlertStatus>
  /** Those that have not ended. */
  silences(): Promise<readonly SilenceStatus[]>
  silence(silence: NewSilence & By): Promise<SilenceStatus>
  extendSilence(id: number, end: { readonly endsAt: number } & By): Promise<SilenceStatus>
  endSilence(id: number, by: By): Promise<SilenceStatus>
  rules(): Promise<readonly Rule[]>
  /** What a rule, perhaps a changed one, would have said about what was seen since then. */
  testRule(test: { readonly rule: string; readonly changes: RuleChanges; readonly since: number }): Promise<RuleTest>
  /** What was said to whom, the newest first. */
  deliveries(query: {
    readonly state?: DeliveryState
    readonly sink?: string
    readonly limit: number
    readonly before?: number
  }): Promise<readonly Delivery[]>
  /** A delivery that everybody gave up is tried once more. */
  redeliver(id: number, by: By): Promise<Delivery>
}

/** What a test may change about a rule. */
export interface RuleChanges {
  readonly for?: number
  readonly keepFiringFor?: number
  readonly limit?: number
}

export interface NewSilence {
  readonly matchers: readonly Matcher[]
  readonly reason: string
  readonly startsAt?: number
  readonly endsAt: number
  /** Also what must not be missed by accident. */
  readonly evenProtected: boolean
}

export interface SilenceStatus extends Omit<NewSilence, 'startsAt'> {
  readonly id: number
  readonly author: string
  readonly madeAt: number
  readonly startsAt: number
  readonly isActive: boolean
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
  /** The probe failed, or what is copied cannot be read: there may be more than that, and it is never shown as all there is. */
  readonly isAtLeast: boolean
  /** When the oldest came that asks for attention, on the broker or open in the vault; absent where none does, or nobody knows. */
  readonly oldestAt?: number
  /** Where the broker itself drops letters after a time, read or not. */
  readonly loss?: TimeToLoss
  /** Where its letters are copied or collected: when they were last read, a minute more or less, and the code of what that fails with since. */
  readonly reading?: { readonly at?: number; readonly problem?: string }
}

export interface TimeToLoss {
  /** Milliseconds that the broker keeps a letter. */
  readonly keepsFor: number
  /** When the oldest letter that lies there goes, at the earliest; absent when nothing lies there, or the broker does not tell how old it is. */
  readonly nextAt?: number
  /** Whether what lies there is in the vault too, or about to be. */
  readonly isCopied: boolean
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
  /** Without a source: of several, or of nobody knows which. */
  | { readonly kind: 'letters'; readonly source?: number; readonly letters: number }
  | { readonly kind: 'cause'; readonly cause: number }
  | { readonly kind: 'replay'; readonly replay: number; readonly counts: LedgerCounts }
  | { readonly kind: 'consumer'; readonly service: string }
  /** By the word of a consumer, before its letters were found. `letters` are the first of `total`. */
  | {
      readonly kind: 'dead-lettered'
      readonly service: string
      readonly letters: readonly ReportedLetter[]
      readonly total: number
    }
  /** Letters are not accounted for, or are again. */
  | { readonly kind: 'conservation'; readonly holds: boolean }
  | { readonly kind: 'alert'; readonly fingerprint: string; readonly change: 'fired' | 'resolved' | 'marked' }
  | { readonly kind: 'silences' }
  /** Others may have told something that did not arrive here: whatever was looked at is to be looked at anew. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'problem'; readonly source: string; readonly code: string }
