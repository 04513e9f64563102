import { runControlPlane } from '../../src/cli/run-control-plane.ts'
import { readConfig } from '../../src/config/read-config.ts'
import type { OpenedVault } from '../../src/vault/open-vault.ts'
import { usualTiming } from '../../src/vault/postgres/lease-timing.ts'
import { type PostgresVault, postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import { vaultAddress } from '../../src/vault/postgres/vault-address.ts'
import type { Joining } from '../../src/vault/turns.ts'
import { hastyTables, knownNext, nextBeginnings, nextTables } from './next-tables.ts'

/** What is wrong with a control plane on purpose. */
export type Plant = 'not-renewed' | 'sends-after-its-lease' | 'deaf' | Version

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
  const vault = has('next-version') || has('hasty-version') ? ofNextVersion(url) : postgresVault({ url, timing })
  return { vault, lock: vault.hold, join: (joining) => vault.join(planted(joining)), scrub: async () => {} }
}

function ofNextVersion(url: string): PostgresVault {
  const { schema } = vaultAddress(url)
  const tables = has('hasty-version') ? hastyTables(schema) : nextTables(schema)
  return postgresVault({ url }, nextBeginnings, knownNext(tables))
}

function planted(joining: Joining): Joining {
  const { work, onNotice } = joining
  return {
    ...joining,
    work: (term) => work(has('sends-after-its-lease') ? { ...term, isOurs: () => true } : term),
    onNotice: has('deaf') ? () => {} : onNotice,
  }
}

const config = await readConfig(yaml, { file: 'redrive.yaml', folder, environment: {} })
const anyPort = { ...config, server: { ...config.server, port: 0 } }
const { address, close } = await runControlPlane(anyPort, { onProblem: () => {} }, open)
process.on('message', async () => {
  await close()
  process.disconnect()
})
process.once('disconnect', () => process.exit())
process.send?.(address)
