import { RedriveError } from '../../core/errors.ts'
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
import { redisCapabilities } from './capabilities.ts'
import { createConnection } from './connection.ts'
import { consumerName, keysOf } from './keys.ts'
import { createListener } from './listener.ts'
import { browse, measure, remove } from './look.ts'
import { forgottenAfter, join, leave } from './look-scripts.ts'
import { type RedisOptions, resolveOptions } from './options.ts'
import { provision, stateOf } from './provision.ts'
import { createStore, unknownChannel } from './store.ts'

export type { RedisOptions }

/** As what a receiver reads a channel. */
interface Membership {
  readonly channel: string
  readonly consumer: string
}

/**
 * A queue in streams of Redis or Valkey, for any number of machines. Nothing is opened before the first call.
 *
 * New entries are read plainly, and every other verb is one script. A lease ends on the server's clock unless it is renewed, so nobody is
 * handed what a living handler has; who waits is woken by a message of Redis' own, and looks by itself from time to time, since those are
 * lost with the connection.
 */
export function redis(options: RedisOptions): Transport {
  const settings = resolveOptions(options)
  const { clock, random, prefix, group, maxBody, pollEvery } = settings
  const capabilities = redisCapabilities(maxBody)
  const connection = createConnection(settings)
  const holdings = createHoldings(clock)
  const process = Math.floor(random() * 2 ** 52).toString(36)
  const memberships: Membership[] = []
  const store = createStore(connection, settings, stir)
  const receivers = createReceivers<Membership>(clock, ({ channel, consumer }, request) =>
    store.claim(channel, consumer, request),
  )
  const listener = createListener(connection, settings, (stream) => stir(stream?.slice(prefix.length)))
  const audit = createAudit(clock, holdings, store.lost)
  const poll = repeating(clock, pollEvery, () => stir())
  // Settlements wait for the batch that is under way, and claims do not.
  const settling = createSettling({ holdings, checkOpen, carryOut, mayBeOvertaken: true })
  let closing: Promise<void> | undefined

  /** Something may be claimable in that channel, or in any. */
  function stir(channel?: string): void {
    receivers.stir((membership) => channel === undefined || membership.channel === channel)
  }

  const leases: LeaseStore = { perform: store.giveBack, claimNow: receivers.claimNow, wake: receivers.wake }

  function checkOpen(): void {
    if (closing) throw new RedriveError('closed', 'The Redis transport is closed.')
  }

  function carryOut(held: Held, { message }: Delivery, settlement: Settlement): Promise<void> {
    if (settlement.kind === 'complete') return store.complete(held.hold)
    const job = jobFor(held, message, settlement, capabilities.messages)
    if (job.kind === 'reject') throw new RedriveError('unsupported', 'Redis dead-letters nothing by itself: move it instead.')
    return job.kind === 'move' ? store.move({ job, body: message.body }) : store.giveBack(job)
  }

  async function closeAll(): Promise<void> {
    audit.stop()
    poll.stop()
    await receivers.closeAll()
    const reason = new RedriveError('closed', 'The Redis transport was closed; what it held was released.')
    await settling.releaseAll(reason, store.giveBack)
    await store.idle()
    await Promise.allSettled(
      memberships.map(({ channel, consumer }) => connection.run(leave, membershipKeys(channel), [group, consumer])),
    )
    await listener.stop()
    await connection.close()
  }

  function membershipKeys(channel: string): readonly string[] {
    const { stream, joined } = keysOf(prefix, channel)
    return [stream, joined]
  }

  async function becomeConsumer(address: Address, hold: number): Promise<Membership> {
    const channel = nameOf(address)
    if ((await stateOf(connection, settings, address)) !== 'there') throw unknownChannel(channel)
    const membership = { channel, consumer: consumerName(process, hold) }
    await connection.run(join, membershipKeys(channel), [group, membership.consumer, forgottenAfter])
    const isKnown = memberships.some((each) => each.channel === channel && each.consumer === membership.consumer)
    if (!isKnown) memberships.push(membership)
    return membership
  }

  return {
    name: 'redis',
    capabilities,

    async provision(wanted, mode) {
      checkOpen()
      return provision(connection, settings, wanted, mode)
    },

    async receive(address, receiveOptions) {
      checkOpen()
      const membership = await becomeConsumer(address, receiveOptions.hold)
      checkOpen()
      const receiver = createReceiver({
        ...{ clock, holdings, address, options: receiveOptions, channel: 0, store: leases },
        inParts: true,
        leaseEnd: (until) => until,
        onWait() {},
        onClose: receivers.remove,
      })
      receivers.add(receiver, membership)
      for (const chore of [listener, audit, poll]) chore.start()
      return receiver
    },

    extend(delivery, ms) {
      return settling.extend(delivery, clock.now() + ms, ({ hold }) => store.extend({ hold, ms }))
    },

    settle: settling.settle,

    async send(address, message, { delay = 0 } = {}) {
      checkOpen()
      const position = await store.send({ to: nameOf(address), content: contentOf(message, capabilities.messages), delay })
      return { position, duplicate: false }
    },

    async browse(address, page) {
      checkOpen()
      return browse(connection, settings, nameOf(address), page)
    },

    async remove(address, position) {
      checkOpen()
      return remove(connection, settings, nameOf(address), position)
    },

    async measure(address) {
      checkOpen()
      return measure(connection, settings, nameOf(address))
    },

    close() {
      closing ??= closeAll()
      return closing
    },
  }
}
