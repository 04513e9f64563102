import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultRules } from '../../src/core/alerts/default-rules.ts'
import type { GroupTimers } from '../../src/core/alerts/grouping.ts'
import { createNotifiers } from '../../src/notifiers/notifiers.ts'
import type { Sink } from '../../src/notifiers/sink.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid, systemRandom } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'

/** A control plane that watches dead-letter queues with the default rules, and tells by real notifiers. */
export interface AlertingPlane {
  readonly plane: RunningControlPlane
  readonly vault: Vault
  close(): Promise<void>
}

export interface AlertingPlaneOptions {
  readonly transport: Transport
  readonly queues: readonly string[]
  readonly mode: 'watch' | 'follow' | 'collect'
  readonly sinks: readonly Sink[]
  /** Milliseconds. */
  readonly probeEvery: number
  readonly timers?: GroupTimers
}

/** Resolves when every queue has been looked at once. */
export async function startAlertingPlane(options: AlertingPlaneOptions): Promise<AlertingPlane> {
  const { transport, queues, mode, sinks, probeEvery, timers } = options
  const looked = Promise.withResolvers<void>()
  const unseen = new Set(queues)
  const watched = onMeasured(transport, (queue) => {
    unseen.delete(queue)
    if (unseen.size === 0) looked.resolve()
  })
  const folder = mkdtempSync(join(tmpdir(), 'redrive-alerting-'))
  const vault = sqliteVault({ file: join(folder, 'vault.db') })
  const ports = { vault, clock: systemClock, random: systemRandom, newId: newUuid, instance: 'redrive-1' }
  const notifiers = createNotifiers({ ...ports, sinks, onProblem: () => {} })
  const plane = createControlPlane({
    ...ports,
    draw: randomBytes,
    sources: queues.map((name) => ({ connection: 'shop', transport: watched, address: { name }, mode, probeEvery })),
    transportNamed: () => transport,
    alerting: {
      ...{ rules: defaultRules, windows: [], random: systemRandom, instance: 'redrive-1' },
      sinks: notifiers.sinks,
      onSaid: notifiers.wake,
      ...(timers && { timers }),
    },
  })
  await notifiers.start()
  await plane.start()
  await looked.promise
  return {
    plane,
    vault,
    async close() {
      await plane.close()
      await notifiers.stop()
      await vault.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function onMeasured(transport: Transport, measured: (queue: string) => void): Transport {
  return {
    ...transport,
    async measure(address) {
      const measure = await transport.measure(address)
      measured(address.name)
      return measure
    },
  }
}
