import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { createThread, workerBeside } from '../../platform/sqlite/thread.ts'
import { finish, notSent, type Pending, thrown } from '../../platform/sqlite/wire.ts'
import type { Hold, LeaseStore, PendingClaim } from '../leases/protocol.ts'
import type { Answers, Job, JobOf, WorkerSettings, WriteBatch, WriteReply } from './protocol.ts'
import { unpackClaim } from './unpack.ts'

/** The writer as the transport sees it: one call at a time in, one batch at a time out. */
export interface WriterLink extends LeaseStore {
  perform<Kind extends Job['kind']>(job: JobOf<Kind>): Promise<Answers[Kind]>
  complete(hold: Hold): Promise<void>
  /** Asks whether another process wrote something; `events.ready` tells. */
  poll(): void
  hold(alive: boolean): void
  /** Resolves when everything that was asked for before has an outcome, and the thread has ended. */
  close(): Promise<void>
}

export interface WriterEvents {
  /** Called for every batch just before it leaves, so that claims share a transaction with the settlements that make room. */
  claims(): readonly PendingClaim[]
  /** Something may be claimable in these channels, or in any after another process wrote. */
  ready(channels: readonly number[] | 'any'): void
  committed(requests: number): void
}

interface Round {
  readonly completes: Pending<void>[]
  readonly pairs: number[]
  readonly jobs: Job[]
  readonly answers: Pending<unknown>[]
  claims: readonly PendingClaim[]
  poll: boolean
}

/** From so many requests on, a batch is worth a commit of its own and leaves while another one is under way. */
const worthwhile = 32

/**
 * While one batch is being committed, the next one gathers here and leaves as a whole: when the reply comes, or before, once it
 * is large, so that the thread finds its next work waiting. So the busier the disk, the larger the batches, and a lone request
 * waits for nobody.
 */
export function createWriterLink(settings: WorkerSettings, clock: Clock, events: WriterEvents): WriterLink {
  let gathering = newRound()
  const flying: Round[] = []
  let scheduled = false
  let keptAlive = false
  let idle: (() => void) | undefined
  const thread = createThread<WriteBatch, WriteReply>(workerBeside(import.meta.url, 'worker'), settings, {
    reply: land,
    died: crash,
  })

  function schedule(): void {
    if (scheduled || !mayDepart()) return
    scheduled = true
    clock.soon(depart)
  }

  function mayDepart(): boolean {
    const isLarge = gathering.completes.length + gathering.jobs.length >= worthwhile
    return flying.length === 0 || (flying.length === 1 && isLarge)
  }

  function depart(): void {
    scheduled = false
    if (mayDepart()) leave()
  }

  function leave(): void {
    const round = gathering
    round.claims = events.claims()
    if (isEmpty(round)) return void idle?.()
    gathering = newRound()
    try {
      thread.post(batchOf(round, clock.now()))
    } catch (cause) {
      rejectRound(round, notSent(cause))
      rest()
      return
    }
    flying.push(round)
    thread.hold(true)
  }

  function land(reply: WriteReply): void {
    const round = flying.shift()
    if (!round) return
    rest()
    resolveRound(round, reply)
    if (reply.commits > 0) events.committed(round.completes.length + round.jobs.length + round.claims.length)
    if (reply.foreignWrites) events.ready('any')
    else if (reply.ready.length > 0) events.ready(reply.ready)
  }

  function crash(cause: unknown): void {
    const rounds = flying.splice(0)
    rest()
    const error = new RedriveError('unsure', 'The thread that writes the database ended before it answered.', { cause })
    for (const round of rounds) rejectRound(round, error)
  }

  function rest(): void {
    thread.hold(keptAlive || flying.length > 0)
    schedule()
  }

  return {
    perform: (job) =>
      new Promise((resolve, reject) => {
        gathering.jobs.push(job)
        gathering.answers.push({ resolve: resolve as (value: unknown) => void, reject })
        schedule()
      }),
    complete: (hold) =>
      new Promise((resolve, reject) => {
        gathering.pairs.push(hold.id, hold.fence)
        gathering.completes.push({ resolve, reject })
        schedule()
      }),
    poll() {
      gathering.poll = true
      schedule()
    },
    wake: schedule,
    claimNow() {
      if (flying.length < 2) leave()
      else schedule()
    },
    hold(alive) {
      keptAlive = alive
      thread.hold(alive || flying.length > 0)
    },
    async close() {
      await new Promise<void>((resolve) => {
        idle = resolve
        schedule()
      })
      await thread.close()
    },
  }
}

function newRound(): Round {
  return { completes: [], pairs: [], jobs: [], answers: [], claims: [], poll: false }
}

function isEmpty({ pairs, jobs, claims, poll }: Round): boolean {
  return pairs.length === 0 && jobs.length === 0 && claims.length === 0 && !poll
}

function batchOf({ pairs, jobs, claims, poll }: Round, now: number): WriteBatch {
  return { now, completes: Float64Array.from(pairs), jobs, claims: claims.map(({ request }) => request), poll }
}

function resolveRound(round: Round, reply: WriteReply): void {
  for (const [index, pending] of round.completes.entries()) {
    const error = reply.completes?.[index]
    if (error) pending.reject(thrown(error))
    else pending.resolve()
  }
  for (const [index, pending] of round.answers.entries()) finish(pending, reply.results[index])
  for (const [index, pending] of round.claims.entries()) {
    finish({ resolve: (packed) => pending.resolve(unpackClaim(packed)), reject: pending.reject }, reply.claims[index])
  }
}

function rejectRound({ completes, answers, claims }: Round, error: RedriveError): void {
  for (const pending of [...completes, ...answers, ...claims]) pending.reject(error)
}
