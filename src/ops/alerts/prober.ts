import type { Subject } from '../../core/alerts/identity.ts'
import type { Values } from '../../core/alerts/sample.ts'
import { codeOf, RedriveError } from '../../core/errors.ts'
import type { Cancel, Clock, Random } from '../../core/ports.ts'
import type { Measure } from '../../transports/seam.ts'
import { isSameSource } from '../../vault/operations/sources.ts'
import { nameOf, queueOf, type Source } from '../source.ts'
import type { ConfiguredSource, UnknownSince } from '../sources.ts'
import type { Report } from './report.ts'

/**
 * Looks at every source again and again, each at its own interval and never twice at a time. A look that fails is tried again in one second and
 * in five, because it is often a hiccup; and when one fails, or works again, the others of its connection are looked at at once, because it is often
 * the broker.
 */
export interface Prober {
  start(): void
  /** Something has just come to this source. */
  lookNow(source: Source): void
  readonly unknownSince: UnknownSince
  stop(): Promise<void>
}

export interface ProberOptions {
  readonly sources: readonly ConfiguredSource[]
  readonly clock: Clock
  readonly random: Random
  /** What the vault knows of a source, asked after the broker was. `isBack`: the look before had failed. */
  readonly inVault: (
    source: ConfiguredSource,
    measured: Measure,
    isBack: boolean,
  ) => Promise<Pick<Report, 'evidence' | 'unread'> & { readonly values: Values }>
  readonly report: (reports: readonly Report[]) => void
  /** The vault could not say what it knows of a source whose broker answered. */
  readonly onProblem: (error: unknown) => void
}

const timeout = 10_000
const usualEvery = 60_000
const afterFailure: readonly number[] = [1000, 5000]
/** Letters that come one after the other are looked at together. */
const atMostEvery = 250
const longestFirstWait = 5000
/** An alert that came and went has settled when looks say the same for a while: also what has not changed has to be told. */
const sameEvery = 60_000

interface Watched {
  readonly source: ConfiguredSource
  looking: Promise<void> | undefined
  wantsAnother: boolean
  /** In a row; nothing before the first look. */
  failures: number | undefined
  /** In a row, since the vault last added what it knows. */
  unfinished: number
  lookedAt: number
  /** Epoch milliseconds; since the first failure in a row. */
  unknownSince: number | undefined
  cancel: Cancel
}

export function createProber({ sources, clock, random, inVault, report, onProblem }: ProberOptions): Prober {
  const watched = sources.map((source): Watched => {
    return {
      source,
      looking: undefined,
      wantsAnother: false,
      failures: undefined,
      unfinished: 0,
      lookedAt: 0,
      unknownSince: undefined,
      cancel: () => {},
    }
  })
  const lastTold = new Map<string, { readonly text: string; readonly at: number }>()
  /** Whoever stops us does not wait for a broker that says nothing. */
  const underWay = new Set<(reason: unknown) => void>()
  let stopped = false

  function look(each: Watched): void {
    if (stopped) return
    each.cancel()
    if (each.looking) {
      each.wantsAnother = true
      return
    }
    each.wantsAnother = false
    each.lookedAt = clock.monotonic()
    each.looking = lookOnce(each).finally(() => {
      each.looking = undefined
      later(each, each.wantsAnother ? atMostEvery : untilNext(each))
    })
  }

  function later(each: Watched, ms: number): void {
    each.cancel()
    if (!stopped) each.cancel = clock.after(ms, () => look(each), { background: true })
  }

  async function lookOnce(each: Watched): Promise<void> {
    const { source } = each
    const measured = await withinTime(source).catch((error: unknown) => brokerFailed(each, error))
    if (stopped) return
    if (measured) {
      const isBack = (each.failures ?? 0) > 0
      each.failures = 0
      each.unknownSince = undefined
      await finish(each, measured, isBack)
      if (isBack) hurryOthers(source, ({ failures = 0 }) => failures > 0)
    }
    if (!stopped) tellOfConnection(source.connection)
  }

  function brokerFailed(each: Watched, error: unknown): void {
    if (stopped) return
    each.failures = (each.failures ?? 0) + 1
    each.unknownSince ??= clock.now()
    report([{ subject: subjectOf(each.source), failed: codeOf(error) }])
    if (each.failures === 1) hurryOthers(each.source, ({ failures = 0 }) => failures === 0)
  }

  /** A vault that fails is no broker that is away: nothing is said of the source, and alerts stay as they are. */
  async function finish(each: Watched, measured: Measure, isBack: boolean): Promise<void> {
    try {
      const seen = await inVault(each.source, measured, isBack)
      each.unfinished = 0
      if (!stopped) report([{ subject: subjectOf(each.source), ...seen }])
    } catch (error) {
      each.unfinished++
      if (!stopped) onProblem(error)
    }
  }

  async function withinTime({ transport, address }: ConfiguredSource): Promise<Measure> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    underWay.add(reject)
    const cancel = clock.after(timeout, () => reject(new RedriveError('unreachable', 'The probe took too long.')), {
      background: true,
    })
    try {
      return await Promise.race([transport.measure(address), late])
    } finally {
      underWay.delete(reject)
      cancel()
    }
  }

  function hurryOthers({ connection }: ConfiguredSource, which: (other: Watched) => boolean): void {
    for (const other of watched) if (other.source.connection === connection && which(other) && !other.looking) look(other)
  }

  function tellOfConnection(connection: string): void {
    const own = watched.filter(({ source }) => source.connection === connection)
    if (own.some(({ failures }) => failures === undefined)) return
    const failures = own.map((each) => each.failures ?? 0)
    const values = {
      probedSources: own.length,
      failingSources: failures.filter((count) => count > 0).length,
      failuresInARow: Math.min(3, Math.max(...failures)),
    }
    const text = JSON.stringify(values)
    const last = lastTold.get(connection)
    if (last?.text === text && clock.monotonic() - last.at < sameEvery) return
    lastTold.set(connection, { text, at: clock.monotonic() })
    report([{ subject: { source: connection }, values }])
  }

  function untilNext({ source, failures = 0, unfinished }: Watched): number {
    const every = source.probeEvery ?? usualEvery
    const inARow = Math.max(failures, unfinished)
    const wait = inARow > 0 ? Math.min(afterFailure[inARow - 1] ?? every, every) : every
    // So that a hundred sources do not ask one broker in the same moment, minute after minute.
    return wait * (0.9 + 0.2 * random())
  }

  return {
    start() {
      for (const each of watched) later(each, random() * Math.min(each.source.probeEvery ?? usualEvery, longestFirstWait))
    },
    lookNow(wanted) {
      const each = watched.find(({ source }) => isSameSource(nameOf(source), nameOf(wanted)))
      if (!each) return
      if (each.looking) each.wantsAnother = true
      else later(each, Math.max(0, each.lookedAt + atMostEvery - clock.monotonic()))
    },
    unknownSince: ({ connection, address }) =>
      watched.find(({ source }) => source.connection === connection && source.address === address)?.unknownSince,
    async stop() {
      stopped = true
      for (const each of watched) each.cancel()
      for (const reject of underWay) reject(new RedriveError('closed', 'The control plane is stopping.'))
      await Promise.all(watched.map(({ looking }) => looking))
    },
  }
}

/** What looks at a source are kept under. */
export function subjectOf({ connection, address }: Source): Subject {
  const group = address.group === undefined ? {} : { consumerGroup: address.group }
  return { source: connection, queue: queueOf(address), ...group }
}
