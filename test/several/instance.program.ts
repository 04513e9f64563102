import { runControlPlane } from '../../src/cli/run-control-plane.ts'
import { readConfig } from '../../src/config/read-config.ts'
import type { OpenedVault } from '../../src/vault/open-vault.ts'
import { usualTiming } from '../../src/vault/postgres/lease-timing.ts'
import { type PostgresVault, postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import { type Transactions, transactionsOf } from '../../src/vault/postgres/transactions.ts'
import { vaultAddress } from '../../src/vault/postgres/vault-address.ts'
import type { Joining, Term } from '../../src/vault/turns.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { hastyTables, knownNext, nextBeginnings, nextTables } from './next-tables.ts'

/** What is wrong with a control plane on purpose. */
export type Plant = 'not-renewed' | 'sends-after-its-lease' | 'deaf' | 'unfenced-shares' | 'holds-letters' | Version

/** What is no mistake: code of a version that is not there yet. Its tables may change in a hurry. */
type Version = 'next-version' | 'hasty-version'

export interface InstanceOrder {
  readonly yaml: string
  readonly folder: string
  readonly plants: readonly Plant[]
}

/** One of several control planes on a vault, as `redrive up` runs it, until it is killed. */
const { yaml, folder, plants } = JSON.parse(process.argv[2] ?? '') as InstanceOrder
const has = (plant: Plant): boolean => plants.includes(plant)

async function open(url: string): Promise<OpenedVault> {
  // An hour: it ends while its holder works.
  const timing = has('not-renewed') ? { ...usualTiming, renewEvery: 3_600_000 } : usualTiming
  const ofToday = (): PostgresVault => postgresVault({ url, timing }, has('unfenced-shares') ? unfencedShares : transactionsOf)
  const vault = has('next-version') || has('hasty-version') ? ofNextVersion(url) : ofToday()
  return { vault, lock: vault.hold, join: (joining) => vault.join(planted(joining)), scrub: async () => {} }
}

function ofNextVersion(url: string): PostgresVault {
  const { schema } = vaultAddress(url)
  const tables = has('hasty-version') ? hastyTables(schema) : nextTables(schema)
  return postgresVault({ url }, nextBeginnings, knownNext(tables))
}

/** Whoever has a share is not asked whether it is still its own. */
function unfencedShares(schema: string, token?: string): Transactions {
  const { share, ...rest } = transactionsOf(schema, token)
  return { ...rest, share: { ...share, isHeld: 'SELECT true AS beside WHERE $1::text <> $2::text' } }
}

const letGo = Promise.withResolvers<void>()

/** What it has taken from its broker stays in its hands until it is told to let go; then it says what became of it. */
function holdingLetters({ vault, ...term }: Term): Term {
  const write = vault.write as (name: string, input: unknown) => Promise<unknown>
  async function holding(name: string, input: unknown): Promise<unknown> {
    if (name !== 'ingest') return write(name, input)
    process.send?.('holds letters')
    await letGo.promise
    const writing = write(name, input)
    await writing.then(
      () => process.send?.('written'),
      () => process.send?.('refused'),
    )
    return writing
  }
  return { ...term, vault: { ...vault, write: holding as Vault['write'] } }
}

/** It does not ask whether it may still send, and does not hear that its term is over before it is told to let go. */
function sendingOn(work: Joining['work']): Joining['work'] {
  return async (term) => {
    const end = await work({ ...term, isOurs: () => true })
    return async () => {
      await letGo.promise
      await end()
    }
  }
}

function planted(joining: Joining): Joining {
  const { work, sharing, onNotice } = joining
  return {
    ...joining,
    sharing: {
      ...sharing,
      work: (share, term) => sharing.work(share, has('holds-letters') ? holdingLetters(term) : term),
    },
    work: has('sends-after-its-lease') ? sendingOn(work) : work,
    onNotice: has('deaf') ? () => {} : onNotice,
  }
}

const config = await readConfig(yaml, { file: 'redrive.yaml', folder, environment: {} })
const anyPort = { ...config, server: { ...config.server, port: 0 } }
const { address, close } = await runControlPlane(anyPort, { onProblem: () => {} }, open)
process.on('message', async (told) => {
  if (told === 'let go') return letGo.resolve()
  await close()
  process.disconnect()
})
process.once('disconnect', () => process.exit())
process.send?.(address)
