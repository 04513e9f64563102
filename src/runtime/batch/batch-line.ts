import { RedriveError } from '../../core/errors.ts'
import type { Cancel } from '../../core/ports.ts'
import { forbiddenByAny } from '../../core/quotes.ts'
import { safeErrorType } from '../../core/sanitise.ts'
import { RetryableError } from '../../core/tagged-errors.ts'
import { errorTypeOf } from '../../core/thrown.ts'
import { timeoutError } from '../deadlines.ts'
import type { ChannelScope } from '../scope.ts'
import type { Turn } from '../turn.ts'
import type { Said, Verdict } from './answer.ts'
import type { BatchHandler } from './batch-message.ts'
import { type BatchCall, type CallResult, callHandler, type Neutral } from './call.ts'
import { formBatch, isDue } from './form.ts'
import type { Member } from './member.ts'

/** The messages of one batch handler: gathered, called together, and called alone where a batch said nothing about them. */
export interface BatchLine {
  /** Its message may be called from now on. */
  enter(member: Member): void
  /** Begins what can begin. */
  start(): void
  /** Whether the one that stands behind it in its lane may come along. */
  takesBehind(member: Member, next: Turn): boolean
  /** The one ahead of it in its lane is gone. */
  aheadGone(member: Member): void
  /** It is not in hand any more. */
  left(member: Member): void
  /** Its handler is stuck: whoever was in company runs alone, while that goes on. Tells whether there was company. */
  split(member: Member): boolean
}

export interface LineSettings {
  readonly type: string
  readonly handler: BatchHandler<unknown>
  readonly size: number
  readonly wait: number
  readonly timeout: number
}

/** What a line needs from its channel. */
export interface LineHost {
  /** Whether another call may begin. */
  readonly hasSlot: boolean
  /** Nothing is under way that could bring another message. */
  readonly isStill: boolean
  /** So many more handlers run. */
  slots(change: number): void
  /** Who stands directly ahead in its lane: a member, or somebody who is none; `undefined` for the first. */
  aheadOf(turn: Turn): object | undefined
  isMember(member: Member): boolean
  forget(member: Member): void
  /** Begins what can begin, soon. */
  look(): void
}

const nothing: Said = { kind: 'done' }

export function createBatchLine(own: LineSettings, scope: ChannelScope, host: LineHost, neutral: Neutral): BatchLine {
  const { handler, size, wait, timeout } = own
  const { clock } = scope.platform
  /** In the order in which they came. */
  const gathered = new Set<Member>()
  const alone = new Set<Member>()
  let cancelWait: Cancel | undefined

  return {
    enter(member) {
      if (keepsCompany(member.turn)) waitAmong(gathered, member)
      else if (isFirst(member)) void callAlone(member)
      else waitAmong(alone, member)
    },
    start() {
      dropOver()
      if (isOutage()) putOffAll()
      startAlone()
      startBatches()
      waitForMore()
    },
    takesBehind: (member, next) =>
      next.route === member.turn.route && hasNotFailed(next) && gathered.has(member) && gathered.size < size,
    aheadGone(member) {
      if (member.answer) endRun(member, member.answer)
      host.look()
    },
    left(member) {
      if (!member.call) drop(member)
    },
    split({ call }) {
      if (!call || call.members.length === 1) return false
      call.giveUp()
      isolate(call.members, timeoutError(timeout))
      return true
    },
  }

  function waitAmong(others: Set<Member>, member: Member): void {
    member.turn.state = 'waiting'
    lendSlot(member)
    others.add(member)
    host.look()
  }

  function startBatches(): void {
    // A probe goes alone, even where others of its lane wait behind it.
    const most = scope.breaker && scope.breaker.state !== 'closed' ? 1 : size
    while (gathered.size > 0 && host.hasSlot) {
      const batch = formBatch(gathered, most, ({ turn }) => host.aheadOf(turn))
      const [first] = batch
      if (!first || !isDue({ count: batch.length, size: most, waited: waited(first), wait, isStill: host.isStill })) return
      for (const member of batch) gathered.delete(member)
      if (batch.length === 1) void callAlone(first)
      else void callTogether(batch)
    }
  }

  /** What has waited long enough begins when there is a slot, or when its lane is free; only the others need a timer. */
  function waitForMore(): void {
    cancelWait?.()
    cancelWait = undefined
    for (const member of gathered) {
      const left = wait - waited(member)
      if (left <= 0) continue
      cancelWait = clock.after(left, host.look)
      return
    }
  }

  function waited({ since }: Member): number {
    return clock.monotonic() - since
  }

  /** What happens alone is the message's own doing. */
  async function callAlone(member: Member): Promise<void> {
    const { turn } = member
    takeSlot(member)
    begin([member])
    turn.route.deadlines.watch(turn)
    member.call = callHandler(handler, [member], scope, neutral)
    const said = ownAnswer(await member.call.result)
    member.call = undefined
    endRun(member, said)
    host.look()
  }

  /** In company only what was said counts: for what was not, nobody is blamed or counted before it has had a call of its own. */
  async function callTogether(members: readonly Member[]): Promise<void> {
    host.slots(1)
    begin(members)
    const call = callHandler(handler, members, scope, neutral)
    for (const member of members) member.call = call
    const cancel = timeOutLater(call)
    const result = await call.result
    cancel?.()
    host.slots(-1)
    if (!call.isGivenUp) conclude(members, result)
    host.look()
  }

  function timeOutLater(call: BatchCall): Cancel | undefined {
    if (timeout === Number.POSITIVE_INFINITY) return undefined
    return clock.after(timeout, () => call.abort(timeoutError(timeout)), { background: true })
  }

  function begin(members: readonly Member[]): void {
    const now = clock.monotonic()
    for (const { turn } of members) {
      turn.state = 'running'
      turn.runStartedAt = now
      turn.startedAt = now
    }
  }

  function conclude(members: readonly Member[], result: CallResult): void {
    if ('thrown' in result) isolate(members, result.thrown)
    else heed(members, result.verdicts)
  }

  function heed(members: readonly Member[], verdicts: readonly Verdict[]): void {
    if (verdicts.some(({ kind }) => kind === 'failed' || kind === 'asked')) forbidQuotes(members)
    for (const [index, verdict] of verdicts.entries()) concludeOne(members[index] as Member, verdict)
  }

  /** The batch failed as a whole, and nobody knows by whom. */
  function isolate(members: readonly Member[], thrown: unknown): void {
    const { events, stats, settings } = scope
    stats.batchesSplit++
    const errorType = safeErrorType(errorTypeOf(thrown))
    events.emit('batch-split', { channel: settings.name, messageType: own.type, size: members.length, errorType })
    for (const member of members) concludeOne(member, { kind: 'unmentioned' })
  }

  function concludeOne(member: Member, verdict: Verdict): void {
    const { turn } = member
    member.call = undefined
    if (turn.over) drop(member)
    else if (member.isRecalled) turn.state = 'waiting'
    else if (verdict.kind === 'unmentioned') void callAgain(member, alone)
    else if (verdict.kind === 'behind') void callAgain(member, gathered)
    else if (isFirst(member)) endRun(member, verdict)
    else waitToSettle(member, verdict)
  }

  /** Nothing of a lane is settled before what stands ahead of it is gone. */
  function waitToSettle(member: Member, answer: Said): void {
    member.turn.state = 'settling'
    member.answer = answer
  }

  /** A handler may have changed the value that it was given, so the next call gets one of its own. */
  async function callAgain(member: Member, among: Set<Member>): Promise<void> {
    member.turn.state = 'waiting'
    try {
      const value = member.read()
      member.value = value instanceof Promise ? await value : value
    } catch (error) {
      if (host.isMember(member)) endRun(member, { kind: 'failed', error })
      return
    }
    if (host.isMember(member)) waitAmong(among, member)
  }

  function startAlone(): void {
    for (const member of alone) {
      if (!host.hasSlot) return
      if (!isFirst(member)) continue
      alone.delete(member)
      void callAlone(member)
    }
  }

  function isFirst({ turn }: Member): boolean {
    return host.aheadOf(turn) === undefined
  }

  function isOutage(): boolean {
    return scope.breaker !== undefined && scope.breaker.state !== 'closed'
  }

  /**
   * While the breaker is open, a call would only fail again. What waited when it opened is parked like everything that was ready; what
   * comes later is a probe. Who stands behind another one stays there: it could not be probed before that one.
   */
  function putOffAll(): void {
    const openedAt = scope.breaker?.openedAt ?? 0
    for (const member of [...alone, ...gathered]) if (member.since <= openedAt && isFirst(member)) putOff(member)
  }

  /** What surrounds the handler must not take it for done, so its run fails; nobody else hears of that. */
  function putOff(member: Member): void {
    alone.delete(member)
    gathered.delete(member)
    member.turn.isPutOff = true
    endRun(member, { kind: 'failed', error: new RetryableError('the breaker opened before the message could be handled') })
  }

  function dropOver(): void {
    for (const member of [...gathered, ...alone]) {
      if (member.turn.over) drop(member)
      else if (member.turn.cancelled) giveBack(member)
    }
  }

  function drop(member: Member): void {
    gathered.delete(member)
    alone.delete(member)
    endRun(member, nothing)
  }

  /** A stop that has run out of time calls nobody any more; that its turn was cancelled makes this a release. */
  function giveBack(member: Member): void {
    gathered.delete(member)
    alone.delete(member)
    endRun(member, { kind: 'failed', error: new RedriveError('closed', 'the consumer is stopping') })
  }

  function endRun(member: Member, said: Said): void {
    if (!host.isMember(member)) return
    host.forget(member)
    takeSlot(member)
    if (said.kind === 'done') member.end.resolve()
    else if (said.kind === 'failed') member.end.reject(said.error)
    else member.end.reject(member.context.ask(said.for, said.description))
  }

  /** The turn of each message gives one slot back when its run ends; meanwhile the call needs one, and a waiting message none. */
  function takeSlot(member: Member): void {
    if (!member.hasSlot) host.slots(1)
    member.hasSlot = true
  }

  function lendSlot(member: Member): void {
    if (member.hasSlot) host.slots(-1)
    member.hasSlot = false
  }
}

/** Whoever has failed before, or may have killed its consumer, runs alone: its neighbours have nothing to do with it. */
function keepsCompany(turn: Turn): boolean {
  return turn.runs === 1 && hasNotFailed(turn)
}

function hasNotFailed({ suspect, attempt }: Turn): boolean {
  return !suspect && attempt === 1
}

function ownAnswer(result: CallResult): Said {
  if ('thrown' in result) return { kind: 'failed', error: result.thrown }
  const [verdict] = result.verdicts
  if (verdict && verdict.kind !== 'unmentioned' && verdict.kind !== 'behind') return verdict
  return { kind: 'failed', error: new RedriveError('not-mentioned', 'the batch handler did not say what became of the message') }
}

/** A handler that saw them all may quote any of them in what it says about one. */
function forbidQuotes(members: readonly Member[]): void {
  const all = forbiddenByAny(members.map(({ turn }) => turn.forbidden ?? turn.delivery.message))
  for (const { turn } of members) turn.forbidden = all
}
