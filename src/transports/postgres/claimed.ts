import { parseEnvelope } from '../../core/envelope.ts'
import type { Clock } from '../../core/ports.ts'
import type { CopiedRows } from '../../platform/postgres/copied-rows.ts'
import type { Claimed } from '../leases/protocol.ts'
import { laneName } from './lane.ts'

/** In the order in which they are read. */
export const claimColumns = 'id, deliveries, turns, sent_at, lane, envelope, body, suspect, withheld, next_in'

type Growing = { -readonly [Name in keyof Claimed]: Claimed[Name] extends readonly (infer Item)[] ? Item[] : Claimed[Name] }

/** What a claim brings, row by row into columns, since there is a row for every message. One without an id says why there are none. */
export function createClaimed(clock: Pick<Clock, 'now'>): { readonly claimed: Claimed; add(row: CopiedRows): void } {
  const claimed: Required<Omit<Growing, 'positions'>> = {
    ...{ ids: [], deliveries: [], turns: [], sentAt: [], lanes: [], stored: [] },
    ...{ suspect: false, withheld: false, nextAt: null },
  }
  return {
    claimed,
    add(row) {
      const id = row.bigint()
      const deliveries = row.integer() ?? 0
      const turns = row.integer() ?? 0
      const sentAt = row.float() ?? 0
      const lane = row.bytes()
      const envelope = row.text() ?? ''
      const body = row.bytes()
      claimed.suspect = row.boolean() ?? false
      claimed.withheld = row.boolean() ?? false
      const nextIn = row.float()
      claimed.nextAt = nextIn === null ? null : clock.now() + nextIn
      if (id === null) return
      claimed.ids.push(id)
      claimed.deliveries.push(deliveries)
      claimed.turns.push(turns)
      claimed.sentAt.push(sentAt)
      claimed.lanes.push(laneName(lane))
      claimed.stored.push({ envelope: parseEnvelope(envelope), body })
    },
  }
}
