import { createAlerting } from '../../src/core/alerts/alerting.ts'
import { defaultRules } from '../../src/core/alerts/default-rules.ts'
import type { Sample } from '../../src/core/alerts/sample.ts'
import type { AlertingSetup } from '../../src/ops/alerts/start-alerting.ts'
import type { Vault } from '../../src/vault/vault.ts'

export const alerting: AlertingSetup = {
  rules: defaultRules,
  sinks: [{ name: 'mail', takes: () => true }],
  windows: [],
  instance: 'redrive-1',
  random: () => 0.5,
}

/** What waits to be sent, in order: why, and each alert with its state. */
export async function outbox(vault: Vault): Promise<readonly string[]> {
  const deliveries = await vault.read('listDeliveries', { limit: 1000 })
  return deliveries.toReversed().map(({ notification: { reason, alerts } }) => {
    const told = alerts.map(({ rule, status }) => `${rule} ${status}`)
    return `${reason}: ${told.join(', ')}`
  })
}

/** Raises alerts in a vault, as an engine that saw these looks would have. Gives their fingerprints, and queues what is to be said. */
export async function raise(vault: Vault, samples: readonly Omit<Sample, 'at'>[], now: number): Promise<readonly string[]> {
  const moment = { now, wallNow: now }
  const book = createAlerting({
    ...{ rules: defaultRules, sinks: alerting.sinks, saved: { alerts: [], groups: [], digests: {} }, outage: 0, moment },
    instance: 'redrive-1',
    componentOf: () => 'RabbitMQ',
  })
  const looks = samples.map((sample) => ({ ...sample, at: now }) as Sample)
  book.look(looks, moment)
  const deliveries = book.speak({ silences: [], windows: [], marks: new Map() }, moment)
  const { alerts, groups, digests } = book.changes()
  await vault.write('commitAlerts', {
    alerts: [...alerts].map(([fingerprint, alert = null]) => ({ fingerprint, alert })),
    groups: [...groups].map(([key, group = null]) => ({ key, group })),
    deliveries,
    samples: looks,
    engine: { at: now, savedAt: now, lastLetter: 0, digests },
  })
  return [...alerts.keys()]
}
