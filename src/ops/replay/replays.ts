import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { PlanTerms } from '../../vault/operations/plan-letters.ts'
import type { Maker } from '../../vault/operations/replay-reach.ts'
import { stepSize } from '../../vault/operations/seal-replay.ts'
import type { KnownSource } from '../../vault/operations/sources.ts'
import type { Destination } from '../../vault/replay-rows.ts'
import type { Vault } from '../../vault/vault.ts'
import type { ReplayDetail, ReplayMaker, Replays, ReplayWishes, Selection } from '../control-plane.ts'
import { pagesOf } from '../selection.ts'
import { checkSealInSteps, releaseInSteps, sealInSteps, takeInSteps } from './in-steps.ts'
import { type ReplayPlanner, replayPlanner, type Wishes } from './plan-replay.ts'
import type { Runner } from './runner.ts'
import type { TransportNamed } from './send-letter.ts'
import { withReach } from './with-reach.ts'

export interface ReplaysOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly runner: Runner
  readonly changed: (detail: ReplayDetail) => void
  /** Where the letters of a source go that do not say where they came from. */
  readonly returnTo: (source: KnownSource) => Destination | undefined
  readonly transportNamed: TransportNamed
}

/** A minute: longer than an abandoned start is left alone. Milliseconds. */
const longestWait = 60_000
const lookEvery = 100

/** Milliseconds; a year and a day. */
const furthest = 366 * 24 * 3_600_000

/** The same for who starts them by their time, too. */
export interface ScheduledReplays extends Replays {
  /** Starts one whose time has come; rejects with `conflict` where somebody was quicker. */
  startDue(id: number): Promise<ReplayDetail>
}

export function replaysIn({ vault, clock, runner, changed, returnTo, transportNamed }: ReplaysOptions): ScheduledReplays {
  const steps = { vault, clock, onStep: (id: number) => void told(id).catch(() => {}) }
  let starting: Promise<void> = Promise.resolve()

  /**
   * The vault judges and orders each page in its own thread: what comes over here is numbers. A preview and the seal that follows it each read
   * the selection: a person thinks in between, and a letter that somebody else has replayed, discarded or erased meanwhile must be judged anew.
   */
  async function planned(selection: Selection, wishes: Wishes): Promise<ReplayPlanner> {
    const planner = replayPlanner(wishes)
    const terms = await termsOf(wishes)
    const pages = pagesOf(selection, clock, (query) => vault.read('planLetters', { ...query, terms }))
    for await (const page of pages) planner.add(page)
    return planner
  }

  async function termsOf({ destination, toOrigin }: Wishes): Promise<PlanTerms> {
    const sources = await vault.read('listSources', undefined)
    const homes = sources.map((source) => {
      const { id, connection, channel, part, group } = source
      const [transport, route] = [transportNamed(connection), returnTo(source)]
      // Of a connection that is not configured here nobody knows; where letters are sent from, it is.
      const broker = { isConnected: transport !== undefined, hasRoutes: transport === undefined || transport.reach !== undefined }
      const place = { connection, channel, group, isPart: part !== '' }
      return { source: id, ...place, ...broker, ...(route && { returnTo: route }) }
    })
    return { homes, ...(destination && { destination }), ...(toOrigin && { toOrigin }) }
  }

  async function makerOf(maker: ReplayMaker): Promise<Maker> {
    const routes = new Map<number, Destination>()
    for (const source of await vault.read('listSources', undefined)) {
      const route = returnTo(source)
      if (route) routes.set(source.id, route)
    }
    return { ...maker, routes }
  }

  /** What was asked for and does not exist is refused before anything is written. */
  async function refuseUnknownEdits(edits: ReplayWishes['edits']): Promise<void> {
    if (edits === 'newest') return
    for (const [letter, edit] of edits ?? []) await vault.read('readEdit', { letter, edit })
  }

  async function show(id: number): Promise<ReplayDetail> {
    const [replay, counts] = [await vault.read('showReplay', { replay: id }), await vault.read('countLedger', { replay: id })]
    return { replay, counts }
  }

  async function told(id: number): Promise<ReplayDetail> {
    const detail = await show(id)
    changed(detail)
    return detail
  }

  /** Of two who start the same letters, one has all of them and the other none: never half of them each. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = starting.then(work)
    starting = turn.catch(() => {})
    return turn
  }

  async function start(id: number, isDue: boolean): Promise<void> {
    await begin(id, isDue)
    await takeInSteps(steps, id).catch((error) => goOnLater(id, error))
    runner.run(id)
  }

  /** Another control plane on the same vault may be starting one; where it died in the middle of that, somebody finishes it. */
  async function begin(id: number, isDue: boolean): Promise<void> {
    const waitsSince = clock.monotonic()
    while (!(await vault.write('beginStart', { replay: id, now: clock.now(), isDue })).isBegun) {
      if (clock.monotonic() - waitsSince > longestWait)
        throw new RedriveError('conflict', `Replay ${id} was not started: another one is still taking its letters. Try again.`)
      await new Promise<void>((resolve) => clock.after(lookEvery, resolve))
    }
  }

  /** It was begun, and whoever asked for it is told that it failed: it is finished nevertheless, as after a crash. */
  function goOnLater(id: number, error: unknown): never {
    runner.run(id)
    throw error
  }

  async function startNow(id: number, isDue: boolean): Promise<ReplayDetail> {
    await checkSealInSteps(vault, id)
    await inTurn(() => start(id, isDue))
    const detail = await told(id)
    if (detail.replay.state !== 'cancelled') return detail
    throw new RedriveError('conflict', `No letter of replay ${id} is open any more: somebody else was quicker.`)
  }

  return {
    async preview(selection, wishes) {
      const preview = (await planned(selection, wishes)).preview()
      return { ...preview, destinations: await withReach(preview.destinations, transportNamed) }
    },
    async seal(selection, wishes) {
      const { name, actor, edits } = wishes
      await refuseUnknownEdits(edits)
      const planner = await planned(selection, wishes)
      const { plan } = planner.preview()
      return told(
        await sealInSteps(
          steps,
          { name, actor, plan },
          planner.steps(stepSize),
          edits === 'newest' ? planner.newestEdits() : edits,
        ),
      )
    },
    start: (id) => startNow(id, false),
    startDue: (id) => startNow(id, true),
    async schedule(id, { at, actor }) {
      const now = clock.now()
      if (at <= now) throw new RedriveError('bad-option', 'The time to start is over already: start it now, or later.')
      if (at > now + furthest) throw new RedriveError('bad-option', 'The time to start is more than a year away.')
      await vault.write('scheduleReplay', { replay: id, now, at: Math.round(at), actor })
      return told(id)
    },
    async pause(id) {
      await vault.write('pauseReplay', { replay: id, now: clock.now() })
      runner.wake(id)
      return told(id)
    },
    async resume(id) {
      await vault.write('resumeReplay', { replay: id, now: clock.now() })
      runner.run(id)
      return told(id)
    },
    async cancel(id) {
      await vault.write('beginCancel', { replay: id, now: clock.now() })
      runner.wake(id)
      await releaseInSteps(steps, id).catch((error) => goOnLater(id, error))
      return told(id)
    },
    show,
    async list({ of, ...query }) {
      return of ? vault.read('replaysWithin', { ...query, maker: await makerOf(of) }) : vault.read('listReplays', query)
    },
    async isWithinReach(replay, of) {
      return (await vault.read('replaysWithin', { replay, limit: 1, maker: await makerOf(of) })).length > 0
    },
    ledger: (query) => vault.read('readLedger', query),
    decideUnknown: (letters, verdict) => vault.write('decideUnknown', { letters, verdict, now: clock.now() }),
  }
}
