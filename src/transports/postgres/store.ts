import { parseEnvelope } from '../../core/envelope.ts'
import type { RedriveError } from '../../core/errors.ts'
import { batched } from '../../platform/batched.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import type { Claim, Claimed, Hold, SettleJobOf, Stored } from '../leases/protocol.ts'
import type { ChannelRow } from './channels.ts'
import { createFrontiers } from './frontiers.ts'
import { laneName } from './lane.ts'
import { notificationName } from './listener.ts'
import type { Settings } from './options.ts'
import {
  completeStatement,
  extendStatement,
  giveBackStatement,
  holdLost,
  type Moving,
  moveStatement,
  type Sending,
  type Settling,
  type Statement,
  sendStatement,
  unknownChannel,
} from './statements.ts'

export type Returning = SettleJobOf<'retry' | 'release'> & { readonly channel: number }

/** The verbs that change something, each coalesced with others of its kind. */
export interface Store {
  send(sending: Sending): Promise<number>
  complete(settling: Settling): Promise<void>
  giveBack(job: Returning): Promise<void>
  move(moving: Moving): Promise<void>
  extend(extension: Settling & { readonly ms: number }): Promise<void>
  claim(channel: ChannelRow, request: Claim): Promise<Claimed>
  /** Which of these are no longer ours. */
  lost(holds: readonly Hold[]): Promise<readonly Hold[]>
  /** Tells other processes that something may be claimable in a channel. */
  announce(channel: number): void
  /** Resolves when everything that was asked for has an outcome. */
  idle(): Promise<void>
}

interface ClaimRow {
  readonly id: string | null
  readonly deliveries: number
  readonly turns: number | null
  readonly sent_at: number
  readonly lane: Uint8Array | null
  readonly envelope: string
  readonly body: Uint8Array | null
  readonly suspect: boolean | null
  readonly withheld: boolean | null
  readonly next_in: number | null
}

/** What is nearly always the same is not said: that is read for every message. */
const claimColumns = `id, deliveries, nullif(turns, 0) AS turns, sent_at, lane, envelope, body,
  nullif(suspect, false) AS suspect, nullif(withheld, false) AS withheld, next_in`

/** `ready`: something may have become claimable in that channel. */
export function createStore(connections: Connections, settings: Settings, ready: (channel: number) => void): Store {
  const { clock, schema } = settings
  const frontiers = createFrontiers(clock)

  function run<Row extends object>({ sql, values }: Statement): Promise<Row[]> {
    return connections.ask<Row>(sql, values)
  }

  function tellReady(channels: Iterable<number>): void {
    for (const channel of new Set(channels)) {
      ready(channel)
      announce(channel)
    }
  }

  async function outcomes<Item extends { readonly hold: Hold }>(
    items: readonly Item[],
    statement: Statement,
  ): Promise<(undefined | RedriveError)[]> {
    const [row] = await run<{ done: string[] | null }>(statement)
    if (row?.done === null) return items.map(() => undefined)
    const done = new Set(row?.done.map(Number))
    return items.map(({ hold }) => (done.has(hold.id) ? undefined : holdLost(hold)))
  }

  /** One batch after the other: who sends without waiting for each answer still means an order, and two connections keep none. */
  const sends = batched<Sending, number>({
    clock,
    atOnce: 1,
    weigh: ({ content }) => content.body?.byteLength ?? 0,
    async run(sendings) {
      const rows = await run<{ message: string | null; channel: number | null }>(sendStatement(schema, sendings))
      tellReady(rows.flatMap(({ channel }) => channel ?? []))
      return rows.map(({ message }, index) => (message === null ? unknownChannel(sendings[index]?.to ?? '') : Number(message)))
    },
  })

  const completes = batched<Settling, undefined>({
    clock,
    async run(settlings) {
      const answers = await outcomes(settlings, completeStatement(schema, settlings))
      tellReady(settlings.flatMap(({ lanesOf }) => lanesOf ?? []))
      return answers
    },
  })

  const returns = batched<Returning, undefined>({
    clock,
    async run(jobs) {
      const answers = await outcomes(jobs, giveBackStatement(schema, jobs))
      for (const { channel } of jobs) frontiers.forget(channel)
      tellReady(jobs.map(({ channel }) => channel))
      return answers
    },
  })

  const extensions = batched<Settling & { readonly ms: number }, undefined>({
    clock,
    run: (items) => outcomes(items, extendStatement(schema, items)),
  })

  const moves = batched<Moving, undefined>({
    clock,
    weigh: ({ job }) => job.content.body?.byteLength ?? 0,
    async run(movings) {
      const rows = await run<{ outcome: string; channel: number | null }>(moveStatement(schema, movings))
      tellReady([...rows.flatMap(({ channel }) => channel ?? []), ...movings.flatMap(({ lanesOf }) => lanesOf ?? [])])
      return movings.map(({ job, hold }, index) => {
        const outcome = rows[index]?.outcome
        if (outcome === 'unknown') return unknownChannel(job.to)
        return outcome === 'moved' ? undefined : holdLost(hold)
      })
    },
  })

  /** Outside of the transactions that write: a commit that notifies waits for every other one that does, with its flush to disk. */
  const announcements = batched<number, undefined>({
    clock,
    async run(channels) {
      const numbers = [...new Set(channels)]
      await connections.ask('SELECT pg_notify($1, n::text) FROM unnest($2::integer[]) AS n', [notificationName(schema), numbers])
      return channels.map(() => undefined)
    },
  })

  /** One that is lost with its connection is made good by polling. */
  function announce(channel: number): void {
    announcements.call(channel).catch(() => {})
  }

  async function claim(channel: ChannelRow, { max, until, suspects }: Claim): Promise<Claimed> {
    const terms = [max, Math.max(1, until - clock.now()), suspects !== 'withhold', suspects === 'alone']
    if (channel.lanes) return claimBy(`${schema}.claim_in_lanes($1, $2, $3, $4, $5)`, [channel.id, ...terms])
    const claimBehind = (id: number) => claimBy(`${schema}.claim($1, $2, $3, $4, $5, $6)`, [channel.id, id, ...terms])
    const frontier = frontiers.of(channel.id)
    const claimed = await claimBehind(frontier)
    if (claimed.ids.length === max) frontiers.reached(channel.id, claimed.ids)
    else frontiers.forget(channel.id)
    return frontier > 0 && claimed.ids.length === 0 ? claimBehind(0) : claimed
  }

  async function claimBy(call: string, values: readonly unknown[]): Promise<Claimed> {
    return claimedFrom(await connections.ask<ClaimRow>(`SELECT ${claimColumns} FROM ${call}`, values), clock.now())
  }

  async function lost(holds: readonly Hold[]): Promise<readonly Hold[]> {
    const rows = await connections.ask<{ id: string }>(
      `WITH held AS (SELECT * FROM unnest($1::bigint[], $2::integer[]) AS h (id, fence))
       SELECT l.id FROM held h JOIN ${schema}.leased l ON l.id = h.id AND l.deliveries = h.fence
       UNION ALL SELECT q.id FROM held h JOIN ${schema}.queue q ON q.id = h.id AND q.deliveries = h.fence AND q.held`,
      [holds.map(({ id }) => id), holds.map(({ fence }) => fence)],
    )
    const ours = new Set(rows.map(({ id }) => Number(id)))
    return holds.filter(({ id }) => !ours.has(id))
  }

  return {
    send: sends.call,
    complete: completes.call,
    giveBack: returns.call,
    move: moves.call,
    extend: extensions.call,
    claim,
    lost,
    announce,
    async idle() {
      for (const each of [sends, completes, returns, extensions, moves, announcements]) await each.idle()
    },
  }
}

/** Row by row into columns, since there is one for every message. */
function claimedFrom(rows: readonly ClaimRow[], now: number): Claimed {
  const [first] = rows
  const claimed = {
    ...{ ids: [] as number[], deliveries: [] as number[], turns: [] as number[], sentAt: [] as number[] },
    lanes: [] as (string | null)[],
    stored: [] as Stored[],
    suspect: first?.suspect ?? false,
    withheld: first?.withheld ?? false,
    nextAt: first?.next_in == null ? null : now + first.next_in,
  }
  for (const { id, deliveries, turns, sent_at, lane, envelope, body } of rows) {
    if (id === null) continue
    claimed.ids.push(Number(id))
    claimed.deliveries.push(deliveries)
    claimed.turns.push(turns ?? 0)
    claimed.sentAt.push(sent_at)
    claimed.lanes.push(laneName(lane))
    claimed.stored.push({ envelope: parseEnvelope(envelope), body })
  }
  return claimed
}
