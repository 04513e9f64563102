import { RedriveError } from '../../../src/core/errors.ts'
import { keyText } from '../../../src/core/headers.ts'
import type { Message } from '../../../src/core/message.ts'
import type { Clock } from '../../../src/core/ports.ts'
import type { Capabilities } from '../../../src/transports/capabilities.ts'
import { afterDelay } from './after-delay.ts'
import { connectionOf, type FamilyVerbs } from './connection.ts'
import { createGroup, type Group, type Member } from './consumer-group.ts'
import { createPartition, type Partition } from './partition.ts'
import { barest } from './plain-messages.ts'
import { createRefusals } from './refusals.ts'
import type { SimBroker } from './sim-broker.ts'
import { ticketOf, toSettle } from './tickets.ts'

interface Topic {
  readonly partitions: readonly Partition[]
  readonly group: Group
  delayed: number
}

const capabilities: Capabilities = { ...barest, hold: 'offset', counts: 'turns', ordering: 'lane' }

/** Four, for keys drawn from six: some partitions hold several keys, and one may hold none. */
const partitionCount = 4

/**
 * An append-only log in partitions, each read by one member of the group. What is done is told by committing offsets, with what
 * was begun in the commit's metadata. When a member comes, goes or is not heard of, a new generation takes every partition away
 * from whoever had it, in the middle of whatever they do.
 */
export function logBroker(clock: Clock): SimBroker {
  const topics = new Map<string, Topic>()
  const refusals = createRefusals()
  let unkeyed = 0

  function topic(name: string): Topic {
    const found = topics.get(name)
    if (!found) throw new RedriveError('unknown-channel', `${name} does not exist.`)
    return found
  }

  function create(name: string): void {
    if (topics.has(name)) return
    const partitions = Array.from({ length: partitionCount }, (_, number) => createPartition(number))
    topics.set(name, { partitions, group: createGroup(partitions, clock), delayed: 0 })
  }

  function write(name: string, message: Message, delay = 0): void {
    const to = topic(name)
    const append = (): void => {
      to.partitions[partitionOf(message)]?.append(message)
      to.group.arrivals.tell()
    }
    to.delayed++
    afterDelay(clock, delay, () => {
      to.delayed--
      append()
    })
  }

  function partitionOf({ key }: Message): number {
    if (key === undefined) return unkeyed++ % partitionCount
    return [...keyText(key)].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % partitionCount
  }

  function verbs(members: Map<string, Member>): FamilyVerbs {
    return {
      name: 'sim-log',
      capabilities,
      async provision({ channels }) {
        for (const { address } of channels) create(address.name)
        return []
      },
      async extend(delivery) {
        if (ticketOf(delivery).state === 'lost') throw new RedriveError('hold-lost', "The partition is somebody else's.")
        return Number.POSITIVE_INFINITY
      },
      async settle(delivery, settlement) {
        const ticket = toSettle<{ complete(): void; release(): void }>(delivery)
        if (!ticket) return
        if (settlement.kind !== 'complete' && settlement.kind !== 'release')
          throw new RedriveError('unsupported', 'A log keeps what it has: send a copy.')
        ticket.state = 'settled'
        ticket.stored[settlement.kind]()
        topic(delivery.address.name).group.arrivals.tell()
      },
      async send({ name }, message, options) {
        write(name, message, options?.delay)
        return { duplicate: false }
      },
      handOut: (address, _, max) => members.get(address.name)?.handOut(address, max) ?? [],
      join({ name }) {
        members.get(name)?.leave()
        members.set(name, topic(name).group.join())
      },
      leave({ name }) {
        members.get(name)?.stopFetching()
      },
      onArrival: ({ name }, wake) => topic(name).group.arrivals.listen(wake),
      lose() {
        for (const member of members.values()) member.vanish()
        members.clear()
      },
      release() {
        for (const member of members.values()) member.leave()
      },
    }
  }

  return {
    family: 'log',
    connect(faults) {
      refusals.reach(faults)
      const members = new Map<string, Member>()
      const owns = (id: string): boolean => [...members.values()].some((member) => member.owns(id))
      return { transport: connectionOf(verbs(members), faults, clock), owns }
    },
    put: async (channel, message) => write(channel, message),
    async left(channel) {
      const { partitions, delayed } = topic(channel)
      return delayed + partitions.reduce((sum, partition) => sum + partition.left(), 0)
    },
    messagesIn: async (channel) => topic(channel).partitions.flatMap((partition) => partition.messages()),
    refuse: refusals.begin,
    disturb() {
      for (const { group } of topics.values()) group.rebalance()
    },
  }
}
