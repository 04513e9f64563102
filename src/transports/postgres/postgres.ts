import { RedriveError } from '../../core/errors.ts'
import { createConnections } from '../../platform/postgres/connections.ts'
import { createAudit } from '../leases/audit.ts'
import { createHoldings, type Held } from '../leases/holdings.ts'
import { nameOf } from '../leases/name-of.ts'
import { contentOf, jobFor } from '../leases/outgoing.ts'
import type { LeaseStore } from '../leases/protocol.ts'
import { createReceiver } from '../leases/receiver.ts'
import { createReceivers } from '../leases/receivers.ts'
import { repeating } from '../leases/repeating.ts'
import { createSettling } from '../leases/settling.ts'
import type { Address, Delivery, Settlement, Transport } from '../seam.ts'
import { postgresCapabilities } from './capabilities.ts'
import { type ChannelRow, channelNamed } from './channels.ts'
import { createListener } from './listener.ts'
import { browse, measure, remove } from './look.ts'
import { type PostgresOptions, resolveOptions } from './options.ts'
import { provision } from './provision.ts'
import { queueErrors } from './server-errors.ts'
import type { Settling } from './statements.ts'
import { createStore } from './store.ts'

export type { PostgresOptions }

/**
 * A queue in tables of a PostgreSQL database, for any number of machines. Nothing is opened before the first call.
 *
 * Every verb is one transaction. Claims skip what others are claiming; leases and delays end on the server's clock; who waits is woken by
 * a notification, and looks by itself from time to time, since notifications are lost with the connection that would have brought them.
 */
export function postgres(options: PostgresOptions): Transport {
  const settings = resolveOptions(options)
  const { clock, schema, maxBody, pollEvery } = settings
  const capabilities = postgresCapabilities(maxBody)
  const connections = createConnections(settings, queueErrors)
  const holdings = createHoldings(clock)
  const store = createStore(connections, settings, stir)
  const receivers = createReceivers(clock, store.claim)
  const listener = createListener(connections, settings, stir)
  const audit = createAudit(clock, holdings, store.lost)
  const poll = repeating(clock, pollEvery, stir)
  // Claims go by another connection than settlements.
  const settling = createSettling({ holdings, checkOpen, carryOut, mayBeOvertaken: true })
  let closing: Promise<void> | undefined

  /** Something may be claimable in that channel, or in any. */
  function stir(channel?: number): void {
    receivers.stir(({ id }) => channel === undefined || id === channel)
  }

  const leases: (channel: number) => LeaseStore = (channel) => ({
    perform: (job) => store.giveBack({ ...job, channel }),
    claimNow: receivers.claimNow,
    wake: receivers.wake,
  })

  function checkOpen(): void {
    if (closing) throw new RedriveError('closed', 'The PostgreSQL transport is closed.')
  }

  function carryOut(held: Held, { message }: Delivery, settlement: Settlement): Promise<void> {
    if (settlement.kind === 'complete') return store.complete(settlingOf(held))
    const job = jobFor(held, message, settlement, capabilities.messages)
    if (job.kind === 'reject')
      throw new RedriveError('unsupported', 'PostgreSQL dead-letters nothing by itself: move it instead.')
    return job.kind === 'move' ? store.move({ ...settlingOf(held), job }) : store.giveBack({ ...job, channel: held.channel })
  }

  async function closeAll(): Promise<void> {
    audit.stop()
    poll.stop()
    await receivers.closeAll()
    const reason = new RedriveError('closed', 'The PostgreSQL transport was closed; what it held was released.')
    await settling.releaseAll(reason, (job, { channel }) => store.giveBack({ ...job, channel }))
    await store.idle()
    await listener.stop()
    await connections.close()
  }

  async function channelOf(address: Address): Promise<ChannelRow> {
    checkOpen()
    const channel = await channelNamed(connections, schema, nameOf(address))
    checkOpen()
    return channel
  }

  return {
    name: 'postgres',
    capabilities,

    async provision(wanted, mode) {
      checkOpen()
      return provision(connections, schema, wanted, mode)
    },

    async receive(address, receiveOptions) {
      const channel = await channelOf(address)
      const receiver = createReceiver({
        ...{ clock, holdings, address, options: receiveOptions, channel: channel.id, store: leases(channel.id) },
        // Two claims at one time would pass over what the other has locked, row by row.
        inParts: false,
        leaseEnd: (until) => until,
        onWait() {},
        onClose: receivers.remove,
      })
      receivers.add(receiver, channel)
      for (const chore of [listener, audit, poll]) chore.start()
      return receiver
    },

    extend(delivery, ms) {
      return settling.extend(delivery, clock.now() + ms, (held) => store.extend({ ...settlingOf(held), ms }))
    },

    settle: settling.settle,

    async send(address, message, { delay = 0 } = {}) {
      checkOpen()
      const id = await store.send({ to: nameOf(address), content: contentOf(message, capabilities.messages), delay })
      return { position: String(id), duplicate: false }
    },

    browse: async (address, page) => browse(connections, schema, (await channelOf(address)).id, page),

    async remove(address, position) {
      const { id } = await channelOf(address)
      const removed = await remove(connections, schema, id, position)
      if (removed) store.announce(id)
      return removed
    },

    measure: async (address) => measure(connections, schema, (await channelOf(address)).id),

    close() {
      closing ??= closeAll()
      return closing
    },
  }
}

function settlingOf({ hold, lane, channel }: Held): Settling {
  return { hold, lanesOf: lane === null ? undefined : channel }
}
