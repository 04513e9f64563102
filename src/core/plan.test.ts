import { describe, expect, it } from 'vitest'
import type { Decision, Step } from './decision.ts'
import { type PlanCapabilities, type PlanPreference, plan } from './plan.ts'

const native: PlanCapabilities = {
  retry: { by: 'native', inPlace: true, maxDelay: 900_000 },
  deadLetter: { native: true },
  move: 'none',
}
const copying: PlanCapabilities = {
  retry: { by: 'copy', inPlace: false, maxDelay: 900_000 },
  deadLetter: { native: false },
  move: 'none',
}
const atomic: PlanCapabilities = { ...copying, move: 'atomic' }
const eitherWay: PlanCapabilities = { ...copying, retry: { ...copying.retry, inPlace: true } }
const annotated: PlanPreference = { deadLettering: 'annotated', inOrder: false }
const byBroker: PlanPreference = { deadLettering: 'native', inOrder: false }
const ordered: PlanPreference = { ...annotated, inOrder: true }

const retry: Decision = { kind: 'retry', delay: 5000 }
const bury = (grave: 'dead-letter' | 'invalid' | 'nowhere'): Decision => ({ kind: 'bury', grave, reason: 'NonRetryableError' })
const complete: Step = { kind: 'complete' }
const sent = (to: 'self' | 'dead-letter' | 'invalid', delay = 0): Step => ({ kind: 'send', to, delay })
const moved = (to: 'self' | 'dead-letter' | 'invalid', delay = 0): Step => ({ kind: 'move', to, delay })

describe('plan', () => {
  it.each<[string, Decision, PlanCapabilities, PlanPreference, readonly Step[]]>([
    ['a run needs nothing of the broker', { kind: 'run' }, native, annotated, []],
    ['complete is one step', { kind: 'complete' }, native, annotated, [complete]],
    ['release is one step', { kind: 'release' }, native, annotated, [{ kind: 'release' }]],
    ['a discarded message is completed', { kind: 'discard', reason: 'Stale' }, native, annotated, [complete]],
    ['a native retry is one step', retry, native, annotated, [{ kind: 'retry', delay: 5000 }]],
    ['a retry by copy is sent, then completed', retry, copying, annotated, [sent('self', 5000), complete]],
    ['a retry keeps its place where order asks for it', retry, eitherWay, ordered, [{ kind: 'retry', delay: 5000 }]],
    ['a retry is a copy where no order asks otherwise', retry, eitherWay, annotated, [sent('self', 5000), complete]],
    ['a retry is a copy where it cannot keep its place', retry, copying, ordered, [sent('self', 5000), complete]],
    ['a retry by copy is one move where that is atomic', retry, atomic, annotated, [moved('self', 5000)]],
    ['a dead letter is sent, then completed', bury('dead-letter'), copying, annotated, [sent('dead-letter'), complete]],
    ['a dead letter is one move where that is atomic', bury('dead-letter'), atomic, annotated, [moved('dead-letter')]],
    ['an invalid message is sent, then completed', bury('invalid'), native, annotated, [sent('invalid'), complete]],
    ['the broker dead-letters where that is preferred', bury('dead-letter'), native, byBroker, [{ kind: 'reject' }]],
    ['the broker dead-letters only if preferred', bury('dead-letter'), native, annotated, [sent('dead-letter'), complete]],
    ['a broker that cannot reject gets a copy', bury('dead-letter'), copying, byBroker, [sent('dead-letter'), complete]],
    ['the broker knows no invalid channel', bury('invalid'), native, byBroker, [sent('invalid'), complete]],
    ['without a grave the message is completed', bury('nowhere'), native, byBroker, [complete]],
  ])('%s', (_, decision, capabilities, preference, steps) => {
    expect(plan(decision, capabilities, preference)).toEqual(steps)
  })

  it('shortens a delay to the longest that the broker can hold', () => {
    const long: Decision = { kind: 'retry', delay: 10_000_000 }
    expect(plan(long, native, annotated)).toEqual([{ kind: 'retry', delay: 900_000 }])
    expect(plan(long, copying, annotated)).toEqual([sent('self', 900_000), complete])
  })
})
