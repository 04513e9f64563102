import { Buffer } from 'node:buffer'
import { RedriveError } from '../../core/errors.ts'
import { textArray } from '../../platform/postgres/binary-array.ts'
import type { Content, Hold, SettleJobOf } from '../leases/protocol.ts'
import { laneOf } from './lane.ts'

/** A call of one of the server's functions: what it says, and with which values. */
export interface Statement {
  readonly sql: string
  readonly values: readonly unknown[]
}

export interface Sending {
  readonly to: string
  readonly content: Content
  readonly delay: number
}

/** A hold, and the channel whose lanes are locked for it, if it stands in one. */
export interface Settling {
  readonly hold: Hold
  readonly lanesOf: number | undefined
}

export function sendStatement(schema: string, sendings: readonly Sending[]): Statement {
  return {
    sql: `SELECT message, channel FROM ${schema}.send($1, $2, $3, $4, $5)`,
    values: [
      textArray(sendings.map(({ to }) => to)),
      textArray(sendings.map(({ content }) => content.envelope)),
      sendings.map(({ content }) => bytesOf(content.body)),
      sendings.map(({ content }) => laneOf(content.key)),
      plainArray(sendings.map(({ delay }) => delay)),
    ],
  }
}

/** Where all are done, the server does not name them. */
export function completeStatement(schema: string, settlings: readonly Settling[]): Statement {
  return {
    sql: `SELECT CASE WHEN cardinality(done) < cardinality($1::bigint[]) THEN done END AS done FROM ${schema}.complete($1, $2, $3) AS done`,
    values: [...holdColumns(settlings), lockedBy(settlings)],
  }
}

export function extendStatement(schema: string, extensions: readonly (Settling & { readonly ms: number })[]): Statement {
  return {
    sql: `SELECT ${schema}.extend($1, $2, $3, $4) AS done`,
    values: [...holdColumns(extensions), plainArray(extensions.map(({ ms }) => ms)), lockedBy(extensions)],
  }
}

/** A retry counts a turn unless its claim did; a release takes back what its claim counted, and stays a suspect if it was one. */
export function giveBackStatement(schema: string, jobs: readonly SettleJobOf<'retry' | 'release'>[]): Statement {
  return {
    sql: `SELECT ${schema}.give_back($1, $2, $3, $4, $5, $6, $7) AS done`,
    values: [
      ...holdColumns(jobs),
      jobs.map((job) => (job.kind === 'retry' ? job.delay : 0)),
      jobs.map((job) => job.kind === 'release' && job.suspect),
      jobs.map((job) => (job.kind === 'retry' ? Number(!job.counted) : -Number(job.counted))),
      jobs.map((job) => (job.kind === 'release' && job.unseen ? -1 : 0)),
      textArray(jobs.map((job) => (job.kind === 'retry' ? (job.envelope ?? null) : null))),
    ],
  }
}

export type Moving = Settling & { readonly job: SettleJobOf<'move'> }

/**
 * Where all are moved, the server does not say so of each. Otherwise in the order in which they were asked: what a function returns, a newer server may
 * sort before it is gathered.
 */
export function moveStatement(schema: string, movings: readonly Moving[]): Statement {
  return {
    sql: `SELECT CASE WHEN NOT bool_and(outcome = 'moved') THEN array_agg(outcome ORDER BY place) END AS outcomes, array_agg(channel) AS channels
      FROM ${schema}.move($1, $2, $3, $4, $5, $6, $7, $8, $9) WITH ORDINALITY AS m (outcome, channel, place)`,
    values: [
      ...holdColumns(movings),
      textArray(movings.map(({ job }) => job.to)),
      textArray(movings.map(({ job }) => job.content.envelope)),
      movings.map(({ job }) => bytesOf(job.content.body)),
      plainArray(movings.map(({ job }) => job.content.body === undefined)),
      movings.map(({ job }) => laneOf(job.content.key)),
      plainArray(movings.map(({ job }) => job.delay)),
      lockedBy(movings),
    ],
  }
}

function holdColumns(settlings: readonly { readonly hold: Hold }[]): [ids: string, fences: string] {
  return [plainArray(settlings.map(({ hold }) => hold.id)), plainArray(settlings.map(({ hold }) => hold.fence))]
}

/** As the server writes it. The library would quote each member, after it has looked for what has to be escaped in it. */
function plainArray(members: readonly (number | boolean)[]): string {
  return `{${members.join()}}`
}

/** In one order for everybody, so that no two wait for each other. */
function lockedBy(settlings: readonly Settling[]): number[] {
  return [...new Set(settlings.flatMap(({ lanesOf }) => lanesOf ?? []))].sort((a, b) => a - b)
}

function bytesOf(body: Uint8Array | null | undefined): Buffer | null {
  return body ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : null
}

export function holdLost({ id }: Hold): RedriveError {
  return new RedriveError('hold-lost', `Message ${id} is no longer ours: its lock expired and it was handed to somebody else.`)
}

export function unknownChannel(name: string): RedriveError {
  return new RedriveError('unknown-channel', `The channel "${name}" does not exist; provision it first.`)
}
