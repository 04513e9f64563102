import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { hasCode, RedriveError } from '../../core/errors.ts'
import { newUuid, systemRandom } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'
import { createConnections, type Query } from '../../platform/postgres/connections.ts'
import type { VaultKeys } from '../../platform/vault-key.ts'
import { halfCopied } from '../copy/half-copy.ts'
import { reads, writes } from '../operations/operations.ts'
import { createKeyRing, type KeyRing } from '../sealing/key-ring.ts'
import { sideBySide } from '../side-by-side.ts'
import type { Operation } from '../sql.ts'
import type { TableVersion } from '../table-version.ts'
import type { Hold, Joining, Membership } from '../turns.ts'
import type { Vault } from '../vault.ts'
import { postgresCopyWords } from './copy-words.ts'
import { holdVault } from './hold.ts'
import { join } from './join.ts'
import { shareNamed } from './lease.ts'
import { type LeaseTiming, usualTiming } from './lease-timing.ts'
import { migrate } from './migrate.ts'
import { postgresSql, vaultTypes } from './postgres-sql.ts'
import { createRounds, type Rounds, type Work } from './rounds.ts'
import { knownTables, refusingTooOld } from './tables.ts'
import { type Transactions, transactionsOf } from './transactions.ts'
import { tryingAgain } from './try-again.ts'
import { shownAddress, vaultAddress } from './vault-address.ts'
import { vaultErrors } from './vault-errors.ts'

export interface PostgresVaultOptions {
  /** Such as `postgres://user:password@host:5432/database?schema=redrive_vault`. */
  readonly url: string
  readonly tls?: TlsOptions
  /** How many connections it has at most: one writes, the others read. Default: 5. */
  readonly connections?: number
  /** How long a call waits for a connection, and for an answer. Milliseconds. Default: 10,000 and 60,000. */
  readonly connectWithin?: number
  readonly answerWithin?: number
  /** How often something is tried in all that the server ended for the sake of another transaction. Default: 6. */
  readonly tries?: number
  /** How several control planes take turns. */
  readonly timing?: LeaseTiming
  /** What contents are sealed with. */
  readonly keys?: VaultKeys | undefined
}

export interface PostgresVault extends Vault {
  /** From now on it is ours, and whatever is written with it is refused once another one has it. */
  hold(onLost: () => void): Promise<Hold>
  /** As one of several control planes, of which one works. */
  join(joining: Joining): Promise<Membership>
}

type Operations = Readonly<Record<string, Operation<never, unknown>>>

const operations = { write: { ...writes } as Operations, read: { ...reads } as Operations }

/** A vault in a schema of PostgreSQL 15. The tables are made, or brought up to date, when it is first asked. */
export function postgresVault(
  options: PostgresVaultOptions,
  beginnings: (schema: string, token?: string) => Transactions = transactionsOf,
  versions: readonly TableVersion[] = knownTables,
): PostgresVault {
  const { url, schema } = vaultAddress(options.url)
  const { tls, connections: most = 5, connectWithin = 10_000, answerWithin = 60_000, tries = 6, timing = usualTiming } = options
  const unaided = createConnections(
    { url, tls, connections: most, connectWithin, answerWithin, clock: systemClock, types: vaultTypes, pipeline: true },
    vaultErrors,
  )
  const connections = { ...unaided, within: tryingAgain(unaided, { clock: systemClock, random: systemRandom, tries }) }
  const unfenced = knowing(beginnings(schema))
  const everyRound = new Set<Rounds>()
  const ring = options.keys && createKeyRing(options.keys, randomBytes)
  let migrating: Promise<void> | undefined
  let closing: Promise<void> | undefined

  function knowing({ write, read, share }: Transactions): Transactions {
    const refusing = (begin: string): string => refusingTooOld(begin, versions)
    return { write: refusing(write), read: refusing(read), share: { ...share, write: refusing(share.write) } }
  }

  function ready(): Promise<void> {
    migrating ??= prepare().catch((error) => {
      migrating = undefined
      throw error
    })
    return migrating
  }

  async function prepare(): Promise<void> {
    await migrate(connections, schema, beginnings(schema), versions)
    const isHalf = await connections.within((_, query) => postgresCopyWords.isHalfCopy(postgresSql(query)), unfenced.read)
    if (isHalf) throw halfCopied(shownAddress(options.url))
  }

  async function ask(known: Operations, name: string, input: unknown, how: (work: Work) => Promise<unknown>) {
    if (closing) throw new RedriveError('closed', 'The vault is closed.')
    await ready()
    const operation = known[name]
    if (!operation) throw new RedriveError('store-failed', `The vault has no operation ${name}.`)
    return how((query) => performed(operation, input, query, ring))
  }

  const read = (work: Work): Promise<unknown> =>
    connections
      .within((_, query) => work(query), unfenced.read)
      .catch((error) => {
        // Where nothing is written, nothing is unsure.
        throw hasCode(error, 'unsure') ? new RedriveError('unreachable', error.message, { cause: error.cause }) : error
      })

  function vaultWriting(write: Rounds['write']): Pick<Vault, 'write' | 'read'> {
    return {
      write: ((name: string, input: unknown) => ask(operations.write, name, input, write)) as Vault['write'],
      read: ((name: string, input: unknown) => ask(operations.read, name, input, read)) as Vault['read'],
    }
  }

  /** What it writes begins as it is said at that moment. */
  function vaultOn(beginning: () => Transactions): Vault {
    const rounds = createRounds(connections, systemClock, () => beginning().write)
    everyRound.add(rounds)
    return {
      ...vaultWriting(rounds.write),
      async close() {
        await rounds.idle()
        everyRound.delete(rounds)
      },
    }
  }

  /** Those of one process share their rounds, as their sources did when one of them collected all. */
  function sharesOf(): (share: string, token: string) => Vault {
    const { write: begin, isHeld } = unfenced.share
    const rounds = createRounds(connections, systemClock, () => begin)
    everyRound.add(rounds)
    return (share, token) => {
      const fence = async (query: Query): Promise<void> => {
        const { rows } = await query(isHeld, [shareNamed(share), token])
        if (rows.length === 0) throw new RedriveError('conflict', 'Another control plane has this by now; nothing was written.')
      }
      const write = (work: Work): Promise<unknown> =>
        rounds.write(async (query) => {
          // What is written in vain is taken back by whoever hears the error.
          const [, done] = await sideBySide(fence(query), work(query))
          return done
        })
      return {
        ...vaultWriting(write),
        // What others write goes on, and all of it is waited for when the vault is closed.
        close: async () => {},
      }
    }
  }

  let held = unfenced
  return {
    ...vaultOn(() => held),
    async hold(onLost) {
      await ready()
      const token = newUuid()
      const name = `a command on ${hostname()}`
      const hold = await holdVault(connections, { schema, token, name, clock: systemClock, timing, onLost })
      held = knowing(beginnings(schema, token))
      return hold
    },
    async join(joining) {
      await ready()
      const fenced = (token: string): Vault => {
        const beginning = knowing(beginnings(schema, token))
        return vaultOn(() => beginning)
      }
      const ours = { connections, schema, clock: systemClock, timing, newToken: newUuid, begin: unfenced, versions }
      return join({ ...joining, ...ours, fenced, fencedShare: sharesOf() })
    },
    close() {
      closing ??= Promise.all([...everyRound].map((rounds) => rounds.idle())).then(() => connections.close())
      return closing
    },
  }
}

/**
 * What the server says is for who knows its connections; any other error is a mistake of the operation, and no news about the server. What was sent before
 * the first failure was heard of fails for its sake, and says nothing.
 */
async function performed(
  operation: Operation<never, unknown>,
  input: unknown,
  query: Query,
  ring: KeyRing | undefined,
): Promise<unknown> {
  let failed: { readonly error: unknown } | undefined
  const watched: Query = (...question) =>
    query(...question).catch((error) => {
      failed ??= { error }
      throw failed.error
    })
  try {
    return await operation(postgresSql(watched, ring), input as never)
  } catch (error) {
    if (error === failed?.error || error instanceof RedriveError) throw error
    throw new RedriveError('store-failed', error instanceof Error ? error.message : String(error), { cause: error })
  }
}
