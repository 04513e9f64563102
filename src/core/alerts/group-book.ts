import type { AlertBook, Moment, Transition } from './alert-book.ts'
import { type Digest, emptyDigest, offer, release, releaseAt } from './digest.ts'
import {
  beliefsOf,
  type Group,
  type GroupTimers,
  groupKeyOf,
  nameOf,
  reasonToSpeak,
  type Situation,
  seenBy,
  urgentEvery,
  usualTimers,
} from './grouping.ts'
import { hearsOn, type Share, type Spoken, shareOf } from './hearing.ts'
import { type Inhibitors, inhibitorsAmong } from './inhibition.ts'
import { isAcknowledged, isSilenced, type Quiet } from './mute.ts'
import type { Notification, Reason } from './notification.ts'
import { isShownUp, isUrgent, type RaisedAlert } from './raised-alert.ts'
import type { Sink } from './sink.ts'
import { type Teller, tell } from './telling.ts'

/** Something that one sink is to be told. */
export interface Saying {
  readonly sink: string
  readonly groupKey: string
  readonly notification: Notification
}

/** Turns alerts into as few messages as people can use. */
export interface GroupBook {
  /** Alerts have changed. */
  changed(transitions: readonly Transition[], moment: Moment): void
  /** What is to be said now. */
  speak(quiet: Quiet, moment: Moment): readonly Saying[]
  /** When something may be to be said without any further change. The engine's own time. */
  due(): number
  /** What has changed since it was last asked; a group that has ended is `undefined`. */
  changes(): ReadonlyMap<string, Group | undefined>
  digests(): Readonly<Record<string, Digest>>
}

export interface GroupBookOptions extends Teller {
  readonly alerts: AlertBook
  readonly sinks: readonly Sink[]
  readonly groups: readonly Group[]
  readonly digests: Readonly<Record<string, Digest>>
  readonly timers?: GroupTimers
  /** When it begins. */
  readonly moment: Moment
}

const watchdogEvery = 5 * 60_000

export function createGroupBook(options: GroupBookOptions): GroupBook {
  const { alerts, sinks, timers = usualTimers } = options
  const groups = new Map(options.groups.map((group) => [group.key, group]))
  const digests = new Map(Object.entries(options.digests))
  const changed = new Map<string, Group | undefined>()
  let lastEpisode = 0

  function put(group: Group): void {
    groups.set(group.key, group)
    changed.set(group.key, group)
  }

  function timersOf({ key }: Group): GroupTimers {
    return key === watchdogKey ? { ...timers, wait: 0, interval: watchdogEvery, repeat: watchdogEvery } : timers
  }

  /** Those that fired at one moment join together. */
  function join(key: string, fresh: readonly RaisedAlert[], now: number): void {
    const group = groups.get(key) ?? begun(key, now)
    const hurries = key === watchdogKey || fresh.some((alert) => isUrgent(alert) && !alert.flaps.isFlapping)
    const soonest = Math.max(now, (group.lastFlush ?? Number.NEGATIVE_INFINITY) + urgentEvery)
    put({
      ...group,
      members: [...new Set([...group.members, ...fresh.map(({ fingerprint }) => fingerprint)])],
      nextFlush: hurries ? Math.min(group.nextFlush, soonest) : group.nextFlush,
    })
  }

  /** Its episode is another one than that of any group before it: its notifications are known by it. */
  function begun(key: string, now: number): Group {
    lastEpisode = Math.max(now, lastEpisode + 1)
    return { key, episode: lastEpisode, sequence: 0, members: [], nextFlush: now + timers.wait, silenced: [] }
  }

  /** A silence that has ended is noticed at once, and not only when the group could speak again anyway. */
  function wake(quiet: Quiet, { now, wallNow }: Moment): void {
    for (const group of groups.values()) {
      if (group.silenced.length === 0 || group.nextFlush <= now) continue
      const members = group.silenced.flatMap((fingerprint) => alerts.get(fingerprint) ?? [])
      if (members.some((alert) => isShownUp(alert) && !isSilenced(alert, quiet, now, wallNow))) put({ ...group, nextFlush: now })
    }
  }

  function flush(group: Group, inhibitors: Inhibitors, quiet: Quiet, moment: Moment): readonly Saying[] {
    const { now } = moment
    const situation = situationOf(group, inhibitors, quiet, moment)
    const reason = reasonToSpeak(situation, timersOf(group), now)
    const after = afterwards(group, situation, reason, quiet, moment)
    const spoken = { told: reason ? toldIn(situation) : [], up: believedUp(situation, after) }
    const shares = reason ? sharesIn(group, spoken) : []
    const settled = {
      ...after,
      ...(reason && { heardBy: shares.flatMap(({ sink, hearsOn }) => (hearsOn ? [sink.name] : [])) }),
      nextFlush: now + timersOf(group).interval,
      lastFlush: now,
    }
    if (settled.members.length > 0) put(settled)
    else {
      groups.delete(group.key)
      changed.set(group.key, undefined)
    }
    if (!reason) return []
    const isKnown = (alert: RaisedAlert): boolean => situation.told?.knowsNews(alert) ?? false
    const all = tell(settled, reason, { alerts: spoken.told, isKnown }, moment, options)
    const endFor = (sink: Sink): Notification =>
      tell(overFor(settled), 'all-resolved', { alerts: spoken.told.filter((alert) => sink.takes(alert)) }, moment, options)
    return shares.flatMap(({ sink, share }) =>
      share === 'nothing' ? [] : offerTo(sink, group, share === 'all' ? all : endFor(sink), moment),
    )
  }

  function sharesIn({ members, heardBy = [] }: Group, spoken: Spoken): readonly SinkShare[] {
    const about = members.map((fingerprint) => alerts.get(fingerprint)?.subject.sink)
    const others = sinks.filter(({ name }) => !about.includes(name))
    return others.map((sink) => {
      const wasHeard = heardBy.includes(sink.name)
      const share = shareOf(sink, spoken, wasHeard)
      return { sink, share, hearsOn: hearsOn(share, spoken, wasHeard) }
    })
  }

  function membersOf(group: Group): readonly RaisedAlert[] {
    return group.members.flatMap((fingerprint) => alerts.get(fingerprint) ?? []).map((alert) => seenBy(group, alert))
  }

  function situationOf(group: Group, inhibitors: Inhibitors, quiet: Quiet, moment: Moment): Situation {
    const { now, wallNow } = moment
    const { told: before, silenced } = group
    const present = membersOf(group)
    const isMuted = (alert: RaisedAlert): boolean => isSilenced(alert, quiet, now, wallNow) || inhibitors.of(alert) !== undefined
    const up = Map.groupBy(present.filter(isShownUp), isMuted)
    const firing = up.get(false) ?? []
    const resolved = present.filter((alert) => !isShownUp(alert))
    const told = before && beliefsOf(before)
    const isHere = (alert: RaisedAlert): boolean => alerts.get(alert.fingerprint) === alert
    return {
      told,
      firing,
      resolved,
      muted: up.get(true) ?? [],
      missed: resolved.filter((alert) => isUrgent(alert) && isHere(alert) && !told?.knowsNews(alert) && !isMuted(alert)),
      isUnsilenced: firing.some(({ fingerprint }) => silenced.includes(fingerprint)),
      repeats: firing.some((alert) => !isAcknowledged(alert, quiet, now)),
    }
  }

  function offerTo(
    { name, keepsState = false }: Sink,
    { key }: Group,
    notification: Notification,
    { now }: Moment,
  ): readonly Saying[] {
    const said = { sink: name, groupKey: key }
    if (keepsState) return [{ ...said, notification }]
    const { digest, passes } = offer(digests.get(name) ?? emptyDigest, notification, now)
    digests.set(name, digest)
    return passes ? [{ ...said, notification: passes }] : []
  }

  function summaries({ now, wallNow }: Moment): readonly Saying[] {
    return [...digests].flatMap(([sink, held]) => {
      const { digest, summary } = release(sink, held, now, wallNow)
      digests.set(sink, digest)
      return summary ? [{ sink, groupKey: `digest ${sink}`, notification: summary }] : []
    })
  }

  function joinAll(fired: readonly RaisedAlert[], now: number): void {
    for (const [key, fresh] of Map.groupBy(fired, groupKeyOf)) join(key, fresh, now)
  }

  /** Those that are up and whose rule got another severity since they were told. */
  function strays(): readonly RaisedAlert[] {
    const all = options.groups.flatMap(({ key, members }) =>
      members.map((fingerprint) => ({ key, alert: alerts.get(fingerprint) })),
    )
    return all.flatMap(({ key, alert }) => (alert && isShownUp(alert) && groupKeyOf(alert) !== key ? [alert] : []))
  }

  joinAll(strays(), options.moment.now)

  return {
    changed: (transitions, { now }) =>
      joinAll(
        transitions.flatMap(({ change, alert }) => (change === 'fired' ? [alert] : [])),
        now,
      ),
    speak(quiet, moment) {
      wake(quiet, moment)
      const due = [...groups.values()].filter(({ nextFlush }) => nextFlush <= moment.now)
      const inhibitors = inhibitorsAmong(due.length === 0 ? [] : alerts.all())
      return [...due.flatMap((group) => flush(group, inhibitors, quiet, moment)), ...summaries(moment)]
    },
    due() {
      const flushes = [...groups.values()].map(({ nextFlush }) => nextFlush)
      const releases = [...digests.values()].flatMap((digest) => releaseAt(digest) ?? [])
      return [...flushes, ...releases].reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
    },
    changes() {
      const taken = new Map(changed)
      changed.clear()
      return taken
    },
    digests: () => Object.fromEntries(digests),
  }
}

interface SinkShare {
  readonly sink: Sink
  readonly share: Share
  readonly hearsOn: boolean
}

const watchdogKey = JSON.stringify(['watchdog'])

/** Of those that are over, the ones that somebody was told about, or should have been. */
function toldIn({ told, firing, resolved, missed }: Situation): readonly RaisedAlert[] {
  const unheard = new Set(missed)
  return [...firing, ...resolved.filter((alert) => unheard.has(alert) || told?.knows(alert))]
}

/** Those that people take for firing once the group has spoken. */
function believedUp({ firing, muted }: Situation, { told }: Group): readonly RaisedAlert[] {
  return told ? [...firing, ...muted].filter(beliefsOf(told).knows) : []
}

/** The group as it is for a sink for which nothing of it fires any more. */
function overFor(group: Group): Group {
  const { told: _, ...rest } = group
  return rest
}

/** Who stays in a group that has had its turn: who is up, and who is over without anybody having been told so. */
function afterwards(
  group: Group,
  { told, firing, muted, resolved }: Situation,
  reason: Reason | undefined,
  quiet: Quiet,
  { now, wallNow }: Moment,
): Group {
  const waiting = reason || !told ? [] : resolved.filter(told.knows)
  const stillTold = told ? muted.flatMap(told.namesOf) : []
  return {
    ...group,
    members: [...firing, ...muted, ...waiting].map(({ fingerprint }) => fingerprint),
    silenced: muted.filter((alert) => isSilenced(alert, quiet, now, wallNow)).map(({ fingerprint }) => fingerprint),
    ...(reason && {
      sequence: group.sequence + 1,
      told: { at: now, firing: [...firing.map(nameOf), ...stillTold] },
    }),
  }
}
