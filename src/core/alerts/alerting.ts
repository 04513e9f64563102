import { type AlertBook, createAlertBook, type Moment, type Transition } from './alert-book.ts'
import type { Digest } from './digest.ts'
import { createGroupBook, type Saying } from './group-book.ts'
import type { Group, GroupTimers } from './grouping.ts'
import type { Quiet } from './mute.ts'
import type { RaisedAlert } from './raised-alert.ts'
import type { Rule } from './rule.ts'
import type { Sample } from './sample.ts'
import type { Sink } from './sink.ts'
import type { Teller } from './telling.ts'

/**
 * From looks to what people are told, without a clock and without a world: the same looks at the same times say the same things, also when
 * it was ended in between and made anew from what `changes` gave.
 */
export interface Alerting {
  look(samples: readonly Sample[], moment: Moment): readonly Transition[]
  /** Alerts about something that is not there any more are over. */
  forget(isGone: (alert: RaisedAlert) => boolean, moment: Moment): readonly Transition[]
  speak(quiet: Quiet, moment: Moment): readonly Saying[]
  /** When there may be something to say without another look. */
  due(): number
  /** What has changed since it was last asked, and has to be durable together with what was said. */
  changes(): AlertChanges
  alerts(): Iterable<RaisedAlert>
  /** What was seen before a restart. Nothing is said about it. */
  recall(samples: readonly Sample[]): void
}

export interface AlertChanges {
  /** `undefined` for one that is not kept any more. */
  readonly alerts: ReadonlyMap<string, RaisedAlert | undefined>
  readonly groups: ReadonlyMap<string, Group | undefined>
  readonly digests: Readonly<Record<string, Digest>>
}

export interface SavedAlerting {
  readonly alerts: readonly RaisedAlert[]
  readonly groups: readonly Group[]
  readonly digests: Readonly<Record<string, Digest>>
}

export interface AlertingOptions extends Omit<Teller, 'ruleNamed'> {
  readonly rules: readonly Rule[]
  readonly sinks: readonly Sink[]
  readonly saved: SavedAlerting
  /** How long nobody watched before now. */
  readonly outage: number
  readonly moment: Moment
  readonly timers?: GroupTimers
}

export function createAlerting({ saved, outage, moment: begin, ...options }: AlertingOptions): Alerting {
  const book: AlertBook = createAlertBook({ rules: options.rules, alerts: saved.alerts, outage, moment: begin })
  const rules = new Map(options.rules.map((rule) => [rule.id, rule]))
  const ruleNamed = (id: string): Rule | undefined => rules.get(id)
  const groups = createGroupBook({
    ...options,
    ruleNamed,
    alerts: book,
    groups: saved.groups,
    digests: saved.digests,
    moment: begin,
  })

  function told(transitions: readonly Transition[], moment: Moment): readonly Transition[] {
    groups.changed(transitions, moment)
    return transitions
  }

  return {
    look: (samples, moment) =>
      told(
        samples.flatMap((sample) => book.look(sample, moment)),
        moment,
      ),
    forget: (isGone, moment) => told(book.forget(isGone, moment), moment),
    speak: groups.speak,
    due: groups.due,
    changes: () => ({ alerts: book.changes(), groups: groups.changes(), digests: groups.digests() }),
    alerts: book.all,
    recall(samples) {
      for (const sample of samples) book.recall(sample)
    },
  }
}
