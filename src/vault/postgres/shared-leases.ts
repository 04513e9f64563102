import type { Connections } from '../../platform/postgres/connections.ts'
import type { Holder, LeaseOptions } from './lease.ts'
import { ends, membersWork, shareNamed } from './lease.ts'
import type { Line } from './line.ts'
import { transactionsOf } from './transactions.ts'

/** What is shared out among control planes, as the server keeps it. */
export interface SharedLeases {
  /** Forgets who was there long ago. Whoever worked last is remembered. */
  tidy(): Promise<void>
  /** Says that we are there, for as long as a lease lasts, and sees what everybody has. */
  look(): Promise<Seen>
  /** We are not there any more. */
  depart(): Promise<void>
}

export interface Seen {
  /** Those that are there. */
  readonly members: readonly string[]
  /** Who has which share. */
  readonly held: ReadonlyMap<string, HeldShare>
  /** One of those that share works, or was the last to do so. */
  readonly membersWork: boolean
}

export interface HeldShare extends Pick<Holder, 'name' | 'since'> {
  readonly member: string
}

export interface SharedLeasesOptions extends LeaseOptions {
  /** Nobody else is called so; tokens of its leases begin with it. */
  readonly member: string
}

interface Row {
  readonly lease: string
  readonly member: string
  readonly name: string
  readonly since: number
}

export function sharedLeases(line: Line, { schema, name, lasts, member }: SharedLeasesOptions): SharedLeases {
  const announced = `INSERT INTO ${schema}.leases (lease, token, name, since, expires_at)
    VALUES ($1, $2, $3, clock_timestamp(), ${ends('$4')}) ON CONFLICT (lease) DO UPDATE SET expires_at = excluded.expires_at RETURNING lease`
  return {
    async tidy() {
      await line.ask(
        `DELETE FROM ${schema}.leases WHERE lease LIKE 'member %' AND expires_at < clock_timestamp() - interval '1 hour'
           AND NOT EXISTS (SELECT FROM ${schema}.control_plane AS work WHERE lease = 'member ' || split_part(work.token, '/', 1))`,
        [],
      )
    },
    async look() {
      await line.ask(announced, [memberNamed(member), member, name, lasts])
      const rows = await line.ask<Row>(currentShares(schema), [])
      const [{ works } = { works: false }] = await line.ask<{ works: boolean }>(`SELECT ${membersWork(schema)} AS works`, [])
      return {
        members: rows.filter(({ lease, member: own }) => lease === memberNamed(own)).map(({ member: own }) => own),
        held: heldIn(rows),
        membersWork: works,
      }
    },
    async depart() {
      await line.ask(`UPDATE ${schema}.leases SET expires_at = '-infinity' WHERE lease = $1`, [memberNamed(member)])
    },
  }
}

/** Who has which share at this moment, for people. */
export async function sharesOn(line: Line, schema: string): Promise<ReadonlyMap<string, HeldShare>> {
  return heldIn(await line.ask<Row>(currentShares(schema), []))
}

/** For who has the vault alone: nothing is anybody's share, and what is written as one is refused. Those that were there long ago are forgotten. */
export async function endAllShares({ within }: Connections, schema: string): Promise<void> {
  await within((ask) => ask('DELETE FROM leases'), transactionsOf(schema).write)
}

const memberNamed = (member: string): string => `member ${member}`

function currentShares(schema: string): string {
  return `SELECT lease, split_part(token, '/', 1) AS member, name, floor(extract(epoch FROM since) * 1000)::bigint AS since
    FROM ${schema}.leases WHERE expires_at > clock_timestamp()`
}

const share = shareNamed('')

function heldIn(rows: readonly Row[]): ReadonlyMap<string, HeldShare> {
  const held = rows.filter(({ lease }) => lease.startsWith(share))
  return new Map(held.map(({ lease, member, name, since }) => [lease.slice(share.length), { member, name, since }]))
}
