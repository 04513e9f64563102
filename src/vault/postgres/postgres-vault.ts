import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { hasCode, RedriveError } from '../../core/errors.ts'
import { newUuid, systemRandom } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'
import { createConnections, type Query } from '../../platform/postgres/connections.ts'
import type { VaultKeys } from '../../platform/vault-key.ts'
import { NotAlone } from '../alone.ts'
import { halfCopied } from '../copy/half-copy.ts'
import { alertWrites } from '../operations/alerting.ts'
import { reads, sideWrites, writes } from '../operations/operations.ts'
import { createKeyRing } from '../sealing/key-ring.ts'
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
import { type Having, postgresSql, vaultTypes } from './postgres-sql.ts'
import { type Commit, createRounds, type Rounds, type Work } from './rounds.ts'
import { createSideLanes } from './side-lanes.ts'
import { knownTables, refusingTooOld } from './tables.ts'
import { type Transactions, transactionsOf } from './transactions.ts'
import { tryingAgain } from './try-again.ts'
import { shownAddress, vaultAddress } from './vault-address.ts'
import { vaultErrors } from './vault-errors.ts'

export interface PostgresVaultOptions {
  /** Such as `postgres://user:password@host:5432/database?schema=redrive_vault`. */
  readonly url: string
  readonly tls?: TlsOptions
  /** How many connections it has at most: those who keep letters, alerts and all else may each wait to write, the others read. Default: 8. */
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

/** What was asked of the vault, for who is alone with it, and where it may be so for who is not. */
interface Asked {
  readonly work: Work
  readonly isOfAlerts: boolean
  readonly beside?: Work
}

interface Performing extends Omit<Having, 'commit'> {
  readonly commit?: Commit | undefined
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
  const { tls, connections: most = 8, connectWithin = 10_000, answerWithin = 60_000, tries = 6, timing = usualTiming } = options
  const unaided = createConnections(
    { url, tls, connections: most, connectWithin, answerWithin, clock: systemClock, types: vaultTypes, pipeline: true },
    vaultErrors,
  )
  const connections = { ...unaided, within: tryingAgain(unaided, { clock: systemClock, random: systemRandom, tries }) }
  const unfenced = knowing(beginnings(schema))
  const everyRound = new Set<Pick<Rounds, 'idle'>>()
  const ring = options.keys && createKeyRing(options.keys, randomBytes)
  let migrating: Promise<void> | undefined
  let closing: Promise<void> | undefined

  function knowing({ write, alerts, read, share }: Transactions): Transactions {
    const refusing = (begin: string): string => refusingTooOld(begin, versions)
    const shared = { ...share, write: refusing(share.write), beside: refusing(share.beside) }
    return { write: refusing(write), alerts: refusing(alerts), read: refusing(read), share: shared }
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

  async function ask(known: Operations, name: string, input: unknown, how: (work: Asked) => Promise<unknown>) {
    if (closing) throw new RedriveError('closed', 'The vault is closed.')
    await ready()
    const operation = known[name]
    if (!operation) throw new RedriveError('store-failed', `The vault has no operation ${name}.`)
    const mayCommit = sideWrites.has(name)
    const work: Work = (query, commit) => performed(operation, input, query, { ring, commit: mayCommit ? commit : undefined })
    const beside: Work = (query, commit) => performed(operation, input, query, { ring, commit, isAlone: false })
    return how({ work, isOfAlerts: Object.hasOwn(alertWrites, name), ...(mayCommit && { beside }) })
  }

  const read = ({ work }: Asked): Promise<unknown> =>
    connections
      .within((_, query) => work(query), unfenced.read)
      .catch((error) => {
        // Where nothing is written, nothing is unsure.
        throw hasCode(error, 'unsure') ? new RedriveError('unreachable', error.message, { cause: error.cause }) : error
      })

  function vaultWriting(write: (asked: Asked) => Promise<unknown>): Pick<Vault, 'write' | 'read'> {
    return {
      write: ((name: string, input: unknown) => ask(operations.write, name, input, write)) as Vault['write'],
      read: ((name: string, input: unknown) => ask(operations.read, name, input, read)) as Vault['read'],
    }
  }

  /** What it writes begins as it is said at that moment. */
  function vaultOn(beginning: () => Transactions): Vault {
    const rounds = createRounds(connections, systemClock, () => beginning().write)
    const alerts = createRounds(connections, systemClock, () => beginning().alerts)
    const both = [rounds, alerts]
    for (const each of both) everyRound.add(each)
    return {
      ...vaultWriting(({ work, isOfAlerts }) => (isOfAlerts ? alerts : rounds).write(work)),
      async close() {
        await Promise.all(both.map((each) => each.idle()))
        for (const each of both) everyRound.delete(each)
      },
    }
  }

  /** Those of one process share their rounds, as their sources did when one of them collected all. */
  function sharesOf(): (share: string, token: string) => Vault {
    const { write: begin, beside, isHeld } = unfenced.share
    const rounds = createRounds(connections, systemClock, () => begin)
    const lanes = createSideLanes(connections, systemClock, beside)
    for (const each of [rounds, lanes]) everyRound.add(each)
    return (share, token) => {
      const fenced =
        (work: Work, isAlone: boolean): Work =>
        async (query, commit) => {
          const fence = query(isHeld, [shareNamed(share), token]).then(({ rows: [held] }) => {
            if (!held) throw new RedriveError('conflict', 'Another control plane has this by now; nothing was written.')
            if (!isAlone && !held.beside) throw new NotAlone()
          })
          // What is written in vain is taken back by whoever hears the error; nothing is committed before that.
          const [, done] = await sideBySide(fence, work(query, commit && ((askLast) => fence.then(() => commit(askLast)))))
          return done
        }
      const alone = ({ work }: Asked): Promise<unknown> => rounds.write(fenced(work, true))
      const write = (asked: Asked): Promise<unknown> =>
        asked.beside
          ? lanes.write(fenced(asked.beside, false)).catch((error) => {
              if (error instanceof NotAlone) return alone(asked)
              throw error
            })
          : alone(asked)
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
  { commit, ...having }: Performing,
): Promise<unknown> {
  let failed: { readonly error: unknown } | undefined
  const watched: Query = (...question) =>
    query(...question).catch((error) => {
      failed ??= { error }
      throw failed.error
    })
  const finish: Having['commit'] =
    commit &&
    (async (last) => {
      let answers: readonly Promise<unknown>[] = []
      await commit(() => {
        answers = last.map((question) => watched(...question))
      })
      await sideBySide(...answers)
    })
  try {
    return await operation(postgresSql(watched, { ...having, commit: finish }), input as never)
  } catch (error) {
    if (error === failed?.error || error instanceof RedriveError) throw error
    throw new RedriveError('store-failed', error instanceof Error ? error.message : String(error), { cause: error })
  }
}
