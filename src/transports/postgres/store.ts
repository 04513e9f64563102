import type { RedriveError } from '../../core/errors.ts'
import { batched } from '../../platform/batched.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { isOfTheServer } from '../../platform/postgres/server-errors.ts'
import type { Claim, Claimed, Hold, SettleJobOf } from '../leases/protocol.ts'
import type { ChannelRow } from './channels.ts'
import { createClaims } from './claims.ts'
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

/** `ready`: something may have become claimable in that channel. */
export function createStore(connections: Connections, settings: Settings, ready: (channel: number) => void): Store {
  const { clock, schema } = settings
  const claims = createClaims(connections, settings)

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

  const asked = { clock, isOfTheServer }

  /** One batch after the other: who sends without waiting for each answer still means an order, and two connections keep none. */
  const sends = batched<Sending, number>({
    ...asked,
    atOnce: 1,
    weigh: ({ content }) => content.body?.byteLength ?? 0,
    async run(sendings) {
      const rows = await run<{ message: string | null; channel: number | null }>(sendStatement(schema, sendings))
      tellReady(rows.flatMap(({ channel }) => channel ?? []))
      return rows.map(({ message }, index) => (message === null ? unknownChannel(sendings[index]?.to ?? '') : Number(message)))
    },
  })

  const completes = batched<Settling, undefined>({
    ...asked,
    async run(settlings) {
      const answers = await outcomes(settlings, completeStatement(schema, settlings))
      tellReady(settlings.flatMap(({ lanesOf }) => lanesOf ?? []))
      return answers
    },
  })

  const returns = batched<Returning, undefined>({
    ...asked,
    async run(jobs) {
      const answers = await outcomes(jobs, giveBackStatement(schema, jobs))
      for (const { channel } of jobs) claims.lookAgain(channel)
      tellReady(jobs.map(({ channel }) => channel))
      return answers
    },
  })

  const extensions = batched<Settling & { readonly ms: number }, undefined>({
    ...asked,
    run: (items) => outcomes(items, extendStatement(schema, items)),
  })

  const moves = batched<Moving, undefined>({
    ...asked,
    weigh: ({ job }) => job.content.body?.byteLength ?? 0,
    async run(movings) {
      const [row] = await run<{ outcomes: string[] | null; channels: (number | null)[] }>(moveStatement(schema, movings))
      tellReady([...(row?.channels ?? []), ...movings.map(({ lanesOf }) => lanesOf)].filter((channel) => channel != null))
      return movings.map(({ job, hold }, index) => {
        const outcome = row?.outcomes === null ? 'moved' : row?.outcomes[index]
        if (outcome === 'unknown') return unknownChannel(job.to)
        return outcome === 'moved' ? undefined : holdLost(hold)
      })
    },
  })

  /** Outside of the transactions that write: a commit that notifies waits for every other one that does, with its flush to disk. */
  const announcements = batched<number, undefined>({
    ...asked,
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
    claim: claims.claim,
    lost,
    announce,
    async idle() {
      for (const each of [sends, completes, returns, extensions, moves, announcements]) await each.idle()
    },
  }
}
