import type { Condition } from './condition.ts'
import { judgeIncrease, judgeRatio, judgeSpike } from './conditions/counters.ts'
import { judgeGrowth, judgeNotShrinking } from './conditions/growth.ts'
import { judgeLevel } from './conditions/level.ts'
import { judgeBrokerDown, judgeFailingProbe, judgeNoConsumer } from './conditions/reach.ts'
import type { History } from './history.ts'
import type { Measurement } from './sample.ts'
import { type Verdict, verdict } from './verdict.ts'

/** What the last looks at a subject say about a condition; nothing where they do not hold what it needs. */
export function judge(condition: Condition, history: History, now: number): Verdict | undefined {
  switch (condition.kind) {
    case 'level':
      return judgeLevel(condition, history, now)
    case 'growth':
      return judgeGrowth(condition, history, now)
    case 'not-shrinking':
      return judgeNotShrinking(condition, history, now)
    case 'ratio':
      return judgeRatio(condition, history, now)
    case 'increase':
      return judgeIncrease(condition, history, now)
    case 'spike':
      return judgeSpike(condition, history, now)
    case 'failing-probe':
      return judgeFailingProbe(condition, history, now)
    case 'broker-down':
      return judgeBrokerDown(condition, history, now)
    case 'no-consumer':
      return judgeNoConsumer(condition, history, now)
    case 'always':
      return verdict(true, {})
  }
}

/** What a look must hold for a condition to say anything about it. */
export function neededBy(condition: Condition): readonly Measurement[] {
  switch (condition.kind) {
    case 'level':
    case 'increase':
    case 'not-shrinking':
      return [condition.of]
    case 'growth':
    case 'failing-probe':
      return ['letters']
    case 'ratio':
      return [condition.of, condition.to]
    case 'spike':
      return ['causeLettersTotal']
    case 'broker-down':
      return ['probedSources', 'failingSources']
    case 'no-consumer':
      return ['consumers', 'lag']
    case 'always':
      return []
  }
}
