import type { Notification, NotifiedAlert, Status } from '../../../src/core/alerts/notification.ts'
import type { SimQueue, SimQueues } from './sim-queues.ts'
import type { SimArrival, SimReceiver } from './sim-receiver.ts'

/** What somebody believes who read everything that arrived, and knows what they have read already. */
export interface Beliefs {
  isFiring(rule: string, source: string, queue?: string): boolean
  /** Everything that is believed to fire. */
  readonly firing: readonly string[]
  /** Groups that are believed to fire, as receivers keep them that know nothing smaller. */
  readonly groups: readonly string[]
}

export function beliefsOf({ arrivals }: Pick<SimReceiver, 'arrivals'>): Beliefs {
  const alerts = new Map<string, Status>()
  const groups = new Map<string, Status>()
  for (const { notification } of onceEach(arrivals)) {
    groups.set(notification.group.dedupKey, notification.status)
    for (const alert of notification.alerts) alerts.set(nameOf(alert), alert.status)
  }
  return {
    isFiring: (rule, source, queue) => alerts.get(nameOf({ rule, source, ...(queue !== undefined && { queue }) })) === 'firing',
    firing: firingIn(alerts),
    groups: firingIn(groups),
  }
}

function firingIn(known: ReadonlyMap<string, Status>): readonly string[] {
  return [...known].flatMap(([name, status]) => (status === 'firing' ? [name] : []))
}

export function nameOf({ rule, source, queue = '' }: Pick<NotifiedAlert, 'rule' | 'source' | 'queue'>): string {
  return `${rule} ${source} ${queue}`
}

/** As a receiver does that knows the name of a delivery. */
export function onceEach(arrivals: readonly SimArrival[]): readonly SimArrival[] {
  const seen = new Set<Notification['id']>()
  return arrivals.filter(({ notification: { id } }) => !seen.has(id) && seen.add(id))
}

/** Rules that are about a queue and its letters, with what must be believed of so many. Where one speaks for another, either may be known. */
export function misbeliefs(receiver: SimReceiver, queues: SimQueues): readonly string[] {
  const beliefs = beliefsOf(receiver)
  const wrong = queues.all.flatMap((queue) => wrongAbout(queue, queues.levelOf(queue), beliefs, receiver.onlyCritical))
  const others = beliefs.firing.filter((name) => !name.startsWith('dlq.any') && !name.startsWith('dlq.count'))
  return [...wrong, ...others.map((name) => `${name} fires`)].map((what) => `${receiver.name} believes that ${what}`)
}

function wrongAbout({ connection, name }: SimQueue, level: number, beliefs: Beliefs, onlyCritical: boolean): readonly string[] {
  const believed = (rule: string): boolean => beliefs.isFiring(rule, connection, name)
  const wrong: string[] = []
  const must = (rule: string, wanted: boolean): void => {
    if (believed(rule) !== wanted)
      wrong.push(`${rule} of ${connection} ${name} ${wanted ? 'does not fire' : 'fires'} at ${level}`)
  }
  must('dlq.count.critical', level > 1000)
  if (level > 1000) return wrong
  must('dlq.any', level > 0)
  if (!onlyCritical) must('dlq.count', level > 100)
  return wrong
}
