import type { ConsumerReport, ReportAnswer } from '../core/consumer-report.ts'
import { consumerState } from '../core/consumer-state.ts'
import type { Clock } from '../core/ports.ts'
import type { Scopes } from '../core/scopes.ts'
import type { GivenOrder, KnownConsumer } from '../vault/operations/consumers.ts'
import type { Recovery } from '../vault/operations/recoveries.ts'
import type { Vault } from '../vault/vault.ts'
import type { By, Change, ChannelName, ConsumerStatus, Consumers } from './control-plane.ts'

export interface ConsumersOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly tell: (change: Change) => void
  /** Letters of this replay were reported: it may go on. */
  readonly replayHeard: (replay: number) => Promise<void>
  /** The breaker of a channel has closed: rules may wait for that to send letters back. */
  readonly channelRecovered: (recovery: Recovery) => void
}

/** Changes are remembered, a thousand of them, for whoever lost the connection: some ids are enough to look for the rest. */
const mostTold = 20

export function consumersIn({ vault, clock, tell, replayHeard, channelRecovered }: ConsumersOptions): Consumers {
  async function order(verb: 'pause' | 'resume', { service, channel }: ChannelName, { actor }: By): Promise<GivenOrder> {
    const { given, isNew } = await vault.write('orderChannel', { service, channel, order: verb, actor, now: clock.now() })
    if (isNew) tell({ kind: 'consumer', service })
    return given
  }

  async function report(told: ConsumerReport, scopes: Scopes): Promise<ReportAnswer> {
    const { orders, replays, isNews, recovered } = await vault.write('keepReport', { report: told, scopes, now: clock.now() })
    const { service, deadLettered } = told
    if (isNews) tell({ kind: 'consumer', service })
    if (deadLettered.length > 0) {
      tell({ kind: 'dead-lettered', service, letters: deadLettered.slice(0, mostTold), total: deadLettered.length })
    }
    for (const replay of replays) await replayHeard(replay)
    for (const recovery of recovered) channelRecovered(recovery)
    return { orders }
  }

  return {
    report,
    async list() {
      const { consumers, orders } = await vault.read('listConsumers', undefined)
      return consumers.map((consumer) => statusOf(consumer, orders, clock.now()))
    },
    pause: (channel, by) => order('pause', channel, by),
    resume: (channel, by) => order('resume', channel, by),
    async forget(id) {
      const { service } = await vault.write('forgetConsumer', { id, now: clock.now() })
      tell({ kind: 'consumer', service })
    },
  }
}

function statusOf(consumer: KnownConsumer, orders: readonly GivenOrder[], now: number): ConsumerStatus {
  const { isStopped: _, channels, ...known } = consumer
  const state = consumerState(consumer, now)
  return {
    ...known,
    state,
    hasAbandonedSpool: state !== 'reporting' && known.spooled > 0,
    channels: channels.map((channel) => ({
      ...channel,
      state: state === 'unknown' ? 'unknown' : channel.state,
      lastState: channel.state,
      order: orderOf(orders, known.service, channel.name),
    })),
  }
}

function orderOf(orders: readonly GivenOrder[], service: string, channel: string): GivenOrder | null {
  return orders.find((order) => order.service === service && order.channel === channel) ?? null
}
