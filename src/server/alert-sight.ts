import { RedriveError } from '../core/errors.ts'
import type { Place } from '../core/scopes.ts'
import type { AlertStatus } from '../ops/alerts/alert-status.ts'
import { aboutConsumers } from '../ops/alerts/consumer-samples.ts'
import type { ChannelStatus, ConsumerStatus, Consumers } from '../ops/control-plane.ts'
import { addressOf, queueOf } from '../ops/source.ts'
import type { KnownSource } from '../vault/operations/sources.ts'
import type { Vault } from '../vault/vault.ts'
import { createConsumerSight } from './consumer-sight.ts'
import type { Principal } from './principal.ts'

/** Keeps everybody to the alerts about what they were given. */
export interface AlertSight {
  theirs(principal: Principal, alerts: readonly AlertStatus[]): Promise<readonly AlertStatus[]>
  see(principal: Principal, alert: AlertStatus): Promise<void>
  /** For what is said about it, which keeps it from others too. */
  mark(principal: Principal, alert: AlertStatus): Promise<void>
}

/**
 * Alerts name what they are about as people do: a queue, with its part behind a slash; or the channel of a service, which is on no connection at all.
 * What somebody was given are connections and channels.
 */
export function createAlertSight(consumers: Pick<Consumers, 'list'>, vault: Pick<Vault, 'read'>): AlertSight {
  const consumerSight = createConsumerSight(consumers, vault)

  async function theirs(principal: Principal, alerts: readonly AlertStatus[]): Promise<readonly AlertStatus[]> {
    if (principal.seesAll) return alerts
    const sources = await vault.read('listSources', undefined)
    const seen = alerts.some(isAboutConsumers) ? await consumerSight.visible(principal) : []
    return alerts.filter((alert) =>
      isAboutConsumers(alert)
        ? seen.some((consumer) => channelsIn(consumer, alert).length > 0)
        : alert.source !== '' && placesOf(alert, sources).every(principal.sees),
    )
  }

  async function see(principal: Principal, alert: AlertStatus): Promise<void> {
    if ((await theirs(principal, [alert])).length > 0) return
    throw new RedriveError('not-allowed', 'This alert is about a source that you were not given.')
  }

  return {
    theirs,
    see,
    async mark(principal, alert) {
      await see(principal, alert)
      if (isAboutConsumers(alert)) await consumerSight.refuseForeign(principal, (consumer) => channelsIn(consumer, alert))
    },
  }
}

function isAboutConsumers({ type }: AlertStatus): boolean {
  return aboutConsumers.has(type)
}

function channelsIn(
  { service, channels }: ConsumerStatus,
  { source, queue, consumerGroup }: AlertStatus,
): readonly ChannelStatus[] {
  return service === source ? channels.filter(({ name, group }) => name === queue && group === consumerGroup) : []
}

const part = queueOf({ name: '', part: 'dead-letter' })

/**
 * What it may be about. An alert about a whole connection is for who was given all of its channels. A source that nobody has read yet is in no list: then
 * its name may be that of a channel, or of a part of one.
 */
function placesOf({ source: connection, queue }: AlertStatus, sources: readonly KnownSource[]): readonly Place[] {
  if (queue === null) return [{ connection, channel: '*' }]
  const known = sources.filter((source) => source.connection === connection && queueOf(addressOf(source)) === queue)
  if (known.length > 0) return known
  const whole = queue.endsWith(part) ? [{ connection, channel: queue.slice(0, -part.length) }] : []
  return [{ connection, channel: queue }, ...whole]
}
