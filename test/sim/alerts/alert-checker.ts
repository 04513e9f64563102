import { neverTold } from '../../../src/core/alerts/collapse.ts'
import type { Saying } from '../../../src/core/alerts/group-book.ts'
import type { Notification, NotifiedAlert } from '../../../src/core/alerts/notification.ts'
import type { Delivery } from '../../../src/vault/operations/deliveries.ts'
import type { Hush } from './alert-people.ts'
import { service } from './alert-process.ts'
import { nameOf, onceEach } from './beliefs.ts'
import type { SimQueues } from './sim-queues.ts'
import type { SimReceiver } from './sim-receiver.ts'

/** Something that a process committed to tell somebody, and when. Virtual milliseconds. */
export interface Said extends Saying {
  readonly at: number
}

/** When a broker was known to be down. Virtual milliseconds. */
export interface Outage {
  readonly source: string
  readonly from: number
  to: number
}

export interface Deliveries {
  /** The outbox, the oldest first. */
  readonly deliveries: readonly Delivery[]
  readonly receivers: readonly Pick<SimReceiver, 'name' | 'arrivals'>[]
}

export interface AlertEnding extends Deliveries {
  readonly said: readonly Said[]
  readonly receivers: readonly SimReceiver[]
  readonly queues: SimQueues
  readonly hushes: readonly Hush[]
  readonly outages: readonly Outage[]
  /** Whether somebody set the wall clock: silences end by another one. */
  readonly clockWasSet: boolean
}

/** What is wrong with how a simulation ended, in sentences: what arrived and what was promised, beside what is true. */
export function alertViolations(ending: AlertEnding): readonly string[] {
  return [
    ...deliveryViolations(ending),
    ...endedBeforeItBegan(ending),
    ...toldAgain(ending),
    ...resolvedUntruly(ending),
    ...toldWhileDown(ending),
    ...toldInSilence(ending),
    ...toldTooOften(ending),
    ...ofItself(ending),
    ...failuresUntold(ending),
  ]
}

/** What is wrong with what arrived, whatever it was about. */
export function deliveryViolations({ receivers, deliveries }: Deliveries): readonly string[] {
  return [...receivers.flatMap(outOfOrder), ...receivers.flatMap(firedAfterItsEnd), ...notDelivered({ receivers, deliveries })]
}

const isFiring = ({ status }: NotifiedAlert): boolean => status === 'firing'
const isNewsOf = ({ reason }: Notification): boolean => reason === 'first' || reason === 'new-alert'

/** Of one group nothing older comes after something newer, also when it is sent again; one name is one thing, and one thing has one name. */
function outOfOrder({ name, arrivals }: Deliveries['receivers'][number]): readonly string[] {
  const last = new Map<string, Notification['group']>()
  const texts = new Map<string, string>()
  const ids = new Map<string, string>()
  return arrivals.flatMap(({ notification }) => {
    const { id, group } = notification
    const before = last.get(group.dedupKey) ?? group
    last.set(group.dedupKey, group)
    const isOlder = group.episode < before.episode || (group.episode === before.episode && group.sequence < before.sequence)
    const place = `${group.dedupKey} ${group.episode}-${group.sequence}`
    const isChanged = (texts.get(id) ?? JSON.stringify(notification)) !== JSON.stringify(notification)
    const isRenamed = (ids.get(place) ?? id) !== id
    texts.set(id, JSON.stringify(notification))
    ids.set(place, id)
    return [
      ...(isOlder ? [`${name} was told ${id} after something later`] : []),
      ...(isChanged ? [`${name} was told ${id} twice, in other words`] : []),
      ...(isRenamed ? [`${name} was told the same under two names`] : []),
    ]
  })
}

/** Whoever heard that an episode is over does not hear that it has begun. */
function firedAfterItsEnd({ name, arrivals }: Deliveries['receivers'][number]): readonly string[] {
  const over = new Map<string, number>()
  return onceEach(arrivals).flatMap(({ notification: { alerts } }) =>
    alerts.flatMap((alert) => {
      const ended = over.get(alert.dedupKey) ?? 0
      if (!isFiring(alert)) over.set(alert.dedupKey, Math.max(ended, alert.episode))
      return isFiring(alert) && alert.episode <= ended && !alert.isFlapping
        ? [`${name} was told that ${nameOf(alert)} fires after it was told that it is over`]
        : []
    }),
  )
}

/** What was to be said was taken by its receiver, or something later of its group was. */
function notDelivered({ deliveries, receivers }: Deliveries): readonly string[] {
  return deliveries.flatMap(({ id, sink, state, groupKey, notification }) => {
    const what = `delivery ${id} to ${sink}`
    const arrivals = receivers.find(({ name }) => name === sink)?.arrivals ?? []
    if (state === 'waiting' || state === 'dead') return [`${what} is ${state}`]
    const took = (other: Notification): boolean => arrivals.some((arrival) => arrival.notification.id === other.id)
    if (state === 'sent') return took(notification) ? [] : [`${what} is called sent, and never arrived`]
    const later = deliveries.filter((each) => each.sink === sink && each.groupKey === groupKey && each.id > id)
    return later.some((each) => took(each.notification)) ? [] : [`${what} is called collapsed, and nothing later arrived`]
  })
}

/** An end is told of what was to be told before, unless it is said to be both. */
function endedBeforeItBegan({ said, receivers }: AlertEnding): readonly string[] {
  return receivers.flatMap(({ name, arrivals }) => {
    const toBeSaid = said.filter(({ sink }) => sink === name)
    return onceEach(arrivals).flatMap(({ at, notification }) =>
      notification.alerts.flatMap((alert) => {
        const began = toBeSaid.some(
          (each) => each.at <= at && each.notification.alerts.some((other) => isBeginning(other, alert)),
        )
        const isBoth = isNewsOf(notification) || notification.reason === 'digest' || notification.message.startsWith(neverTold)
        return isFiring(alert) || began || isBoth
          ? []
          : [`${name} was told that ${nameOf(alert)} is over, and not that it had begun`]
      }),
    )
  })
}

function isBeginning(one: NotifiedAlert, other: NotifiedAlert): boolean {
  return isFiring(one) && one.dedupKey === other.dedupKey && one.episode <= other.episode
}

/** A group is said to begin once, and something is new in what is called new. */
function toldAgain({ said }: AlertEnding): readonly string[] {
  const firing = new Map<string, ReadonlySet<string>>()
  return said.flatMap(({ sink, groupKey, notification }) => {
    if (notification.reason === 'digest') return []
    const key = `${sink} ${groupKey}`
    const before = firing.get(key) ?? new Set()
    const episodes = notification.alerts.map((alert) => `${alert.dedupKey} ${alert.episode}`)
    const told = notification.alerts.filter(isFiring).map((alert) => `${alert.dedupKey} ${alert.episode}`)
    firing.set(key, new Set(told))
    const isOld = isNewsOf(notification) && episodes.every((episode) => before.has(episode))
    return isOld ? [`${sink} is told what it was told: ${notification.reason} of ${groupKey}`] : []
  })
}

/** How long after a queue was empty somebody may hear of it: what could not be committed is committed later. */
const slack = 15 * 60_000

/** Nobody hears that a queue is empty because nobody could look, or because time passed. */
function resolvedUntruly({ said, queues }: AlertEnding): readonly string[] {
  return said.flatMap(({ at, notification }) =>
    notification.alerts.flatMap((alert) => {
      const queue = queues.all.find(({ connection, name }) => connection === alert.source && name === alert.queue)
      if (isFiring(alert) || alert.rule !== 'dlq.any' || !queue || queues.wasEmpty(queue, at - slack, at)) return []
      return [`${nameOf(alert)} is said to be over, and was never empty`]
    }),
  )
}

/** While a broker is known to be down, it alone speaks for its queues. */
function toldWhileDown({ said, outages }: AlertEnding): readonly string[] {
  return said.flatMap(({ at, notification }) => {
    const down = outages.filter(({ from, to }) => at > from && at < to).map(({ source }) => source)
    const told = notification.reason === 'digest' ? [] : notification.alerts
    const others = told.filter((alert) => isFiring(alert) && down.includes(alert.source) && alert.rule !== 'broker.down')
    return others.map((alert) => `${nameOf(alert)} is told while its broker is down`)
  })
}

/** Silences are read again every few seconds, and what is decided is committed a little later. */
const deafFor = 60_000

function toldInSilence({ said, hushes, clockWasSet }: AlertEnding): readonly string[] {
  if (clockWasSet) return []
  return said.flatMap(({ at, notification }) =>
    (notification.reason === 'digest' ? [] : notification.alerts).flatMap((alert) => {
      const isHushed = hushes.some(
        ({ queue, from, to }) =>
          queue.connection === alert.source && queue.name === alert.queue && at > from + deafFor && at < to,
      )
      return isFiring(alert) && isHushed ? [`${nameOf(alert)} is told while it is silenced`] : []
    }),
  )
}

const [mostMessages, messagesWithin] = [10, 10 * 60_000]
/** Three quarters of an hour of changes that are not yet flapping, and twice that it flaps and how it ended. */
const [mostChanges, changesWithin] = [20, 3_600_000]

/** People get ten messages in ten minutes, beside critical news; and of one alert no more changes in an hour than there are before it flaps. */
function toldTooOften({ said, receivers }: AlertEnding): readonly string[] {
  return receivers.flatMap(({ name, keepsState }) => {
    const own = said.filter(({ sink }) => sink === name)
    const usual = keepsState
      ? []
      : own.filter(({ notification }) => !(notification.severity === 'CRITICAL' && isNewsOf(notification)))
    const changes = Map.groupBy(changesIn(own), ({ alert }) => alert)
    return [
      ...(crowded(usual, mostMessages, messagesWithin)
        ? [`${name} is told more than ${mostMessages} things in ten minutes`]
        : []),
      ...[...changes].flatMap(([alert, list]) =>
        crowded(list, mostChanges, changesWithin)
          ? [`${name} is told more than ${mostChanges} changes of ${alert} in an hour`]
          : [],
      ),
    ]
  })
}

function crowded(events: readonly { readonly at: number }[], most: number, within: number): boolean {
  return events.some(({ at }, index) => (events[index + most]?.at ?? Number.POSITIVE_INFINITY) - at < within)
}

function changesIn(said: readonly Said[]): readonly { readonly at: number; readonly alert: string }[] {
  const known = new Map<string, string>()
  return said.flatMap(({ at, notification }) =>
    notification.alerts.flatMap((alert) => {
      const [name, state] = [nameOf(alert), `${alert.status} ${alert.isFlapping}`]
      const isChange = known.get(name) !== state
      known.set(name, state)
      return isChange ? [{ at, alert: name }] : []
    }),
  )
}

/** Nobody is told by a way that does not work that it does not work. */
function ofItself({ deliveries }: AlertEnding): readonly string[] {
  const own = deliveries.filter(({ sink, groupKey }) => groupKey === JSON.stringify(['sink', sink]))
  return own.map(({ sink }) => `${sink} is told that it fails`)
}

/** Every letter that could not be written is news to everybody, also when nobody watched just then. */
function failuresUntold({ said, receivers, queues }: AlertEnding): readonly string[] {
  const tells = ({ notification }: Said): boolean => notification.alerts.some(({ source }) => source === service)
  return receivers.flatMap(({ name }) =>
    queues.publishFailures
      .filter((failedAt) => !said.some((each) => each.sink === name && each.at >= failedAt && tells(each)))
      .map((failedAt) => `${name} is never told that a letter could not be written at ${failedAt}`),
  )
}
