import { neverTold } from '../../src/core/alerts/collapse.ts'
import { notification, resolved } from '../../src/core/alerts/notification.fixture.ts'
import type { Notification } from '../../src/core/alerts/notification.ts'
import { createDeliveryLine, type DeliveryLine, type DeliveryLineOptions } from '../../src/notifiers/delivery-line.ts'
import type { Sink } from '../../src/notifiers/sink.ts'
import { type SendOutcome, sent } from '../../src/outgoing/send-outcome.ts'
import { type VirtualClock, virtualClock } from '../../src/platform/virtual-clock.ts'
import { queueDeliveries } from '../../src/vault/operations/deliveries.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { type MemoryVault, memoryVault } from '../control/memory-vault.ts'

/** Something about a group: `fire`, `repeat` or `resolve`, of an episode. */
export interface News {
  readonly group: string
  readonly kind: 'fire' | 'repeat' | 'resolve'
  readonly episode: number
  readonly sequence: number
}

export function told({ group: key, kind, episode, sequence }: News): Notification {
  const group = { key, episode, sequence }
  if (kind === 'resolve') return resolved({ group })
  return notification({ group, reason: kind === 'fire' ? 'first' : 'repeat' })
}

/** A receiver in virtual time, which keeps what it took. */
export interface Inbox extends Sink {
  readonly took: Notification[]
  /** When each try was made. */
  readonly tries: number[]
  answer: (told: Notification) => SendOutcome | Promise<SendOutcome>
}

export function inbox(name: string, clock: VirtualClock): Inbox {
  const own: Inbox = {
    ...{ name, kind: 'inbox', target: 'here', keepsState: false, took: [], tries: [] },
    takes: () => true,
    answer: () => sent,
    async send(news) {
      own.tries.push(clock.monotonic())
      const outcome = await own.answer(news)
      if (outcome.kind === 'sent') own.took.push(news)
      return outcome
    },
  }
  return own
}

export interface OutboxInTest {
  readonly clock: VirtualClock
  readonly vault: MemoryVault
  queue(sink: string, ...news: readonly News[]): Promise<void>
  line(sink: Sink, changes?: Partial<DeliveryLineOptions>): DeliveryLine
  states(): Promise<readonly string[]>
}

export function outbox(): OutboxInTest {
  const clock = virtualClock()
  const vault = memoryVault()
  return {
    clock,
    vault,
    queue: (sink, ...news) =>
      vault.perform((sql) =>
        queueDeliveries(
          sql,
          news.map((each) => ({ sink, groupKey: each.group, notification: told(each) })),
          clock.now(),
        ),
      ),
    line: (sink, changes) => createDeliveryLine({ sink, vault, clock, random: () => 0, onProblem: () => {}, ...changes }),
    async states() {
      const rows = await vault.read('listDeliveries', { limit: 10_000 })
      return rows.toReversed().map(({ state }) => state)
    },
  }
}

/**
 * A process that can be killed at any of its steps: a step is a call to the vault or to a sink, and dies before it is done, or after it was done and
 * before anybody heard of it. Whoever is dead never hears anything again.
 */
export interface Mortal {
  readonly vault: Pick<Vault, 'read' | 'write'>
  sink(sink: Sink): Sink
  readonly isDead: boolean
}

export function mortal(vault: Vault, diesAt: number): Mortal {
  let step = 0
  const never = new Promise<never>(() => {})
  async function live<T>(work: () => Promise<T>): Promise<T> {
    if (step++ >= diesAt) return never
    const result = await work()
    return step++ >= diesAt ? never : result
  }
  return {
    vault: {
      read: ((name: 'sinkHealth', input: undefined) => live(() => vault.read(name, input))) as Vault['read'],
      write: ((name: 'deliverySent', input: never) => live(() => vault.write(name, input))) as Vault['write'],
    },
    sink: (sink) => ({ ...sink, send: (news, signal) => live(() => sink.send(news, signal)) }),
    get isDead() {
      return step > diesAt
    },
  }
}

/** What is wrong with what a receiver took, given all that it should have heard of; nothing where all is well. */
export function findings(took: readonly Notification[], all: readonly News[]): readonly string[] {
  const found: string[] = []
  const groups = Map.groupBy(all, ({ group }) => told({ group, kind: 'fire', episode: 1, sequence: 1 }).group.dedupKey)
  for (const [key, news] of groups) {
    const heard = took.filter(({ group }) => group.dedupKey === key)
    const last = news.at(-1)
    if (last && heard.at(-1)?.id !== told(last).id) found.push(`${last.group}: its last news ${last.kind} did not arrive last`)
    found.push(...orderFindings(heard, key))
  }
  return found
}

function orderFindings(heard: readonly Notification[], key: string): readonly string[] {
  const found: string[] = []
  const begun = new Set<number>()
  let at = 0
  for (const { group, status, message } of heard) {
    const place = group.episode * 1000 + group.sequence
    if (place < at) found.push(`${key}: ${group.episode}-${group.sequence} came after something later`)
    at = place
    if (status === 'firing') begun.add(group.episode)
    else if (!begun.has(group.episode) && !message.startsWith(neverTold)) found.push(`${key}: an end without a beginning`)
  }
  return found
}
