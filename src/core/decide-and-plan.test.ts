import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beforeRun, decide } from './decide.ts'
import type { Asked, Decision, Graves, Outcome, Situation, Step } from './decision.ts'
import { type PlanCapabilities, type PlanPreference, plan } from './plan.ts'
import { maxTurns, type Policy } from './policy.ts'

const anyReason = fc.option(fc.string(), { nil: undefined })
const anyDelay = fc.option(fc.double(), { nil: undefined })

const anyPolicy: fc.Arbitrary<Policy> = fc.record({
  retry: fc.record({
    immediate: fc.nat({ max: 5 }),
    delayed: fc.record({
      retries: fc.nat({ max: 10 }),
      backoff: fc.record({
        kind: fc.constantFrom('fixed', 'linear', 'exponential'),
        first: fc.nat(),
        max: fc.nat(),
        factor: fc.double({ min: 1, max: 10, noNaN: true }),
        jitter: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    }),
  }),
  timeout: fc.nat(),
  onTimeout: fc.constantFrom('permanent', 'retryable'),
  poison: fc.constantFrom('turns', 'deliveries'),
})
const anyGraves: fc.Arbitrary<Graves> = fc.record({ deadLetter: fc.boolean(), invalid: fc.boolean() })
const anySituation: fc.Arbitrary<Situation> = fc.record({
  attempt: fc.integer({ min: 1, max: 15 }),
  runs: fc.integer({ min: 1, max: 8 }),
  deliveries: fc.integer({ min: 1, max: 30 }),
})
const anyAsked = fc
  .record({ kind: fc.constantFrom('retry', 'dead-letter', 'invalid', 'discard'), delay: anyDelay, reason: anyReason })
  .map((asked) => asked as Asked)
const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constant<Outcome>({ kind: 'succeeded' }),
  fc
    .record({ class: fc.constantFrom('retryable', 'permanent', 'invalid', 'cancelled'), delay: anyDelay, reason: anyReason })
    .map((failure) => ({ kind: 'failed', ...failure }) as Outcome),
  anyAsked.map((asked): Outcome => ({ kind: 'asked', for: asked })),
)
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const anyCapabilities: fc.Arbitrary<PlanCapabilities> = fc.record({
  retry: fc.record({
    by: fc.constantFrom('native', 'copy'),
    inPlace: fc.boolean(),
    maxDelay: fc.oneof(fc.nat(), fc.constant(Number.POSITIVE_INFINITY)),
  }),
  deadLetter: fc.record({ native: fc.boolean() }),
  move: fc.constantFrom('atomic', 'none'),
})
const anyPreference: fc.Arbitrary<PlanPreference> = fc.record({
  deadLettering: fc.constantFrom('annotated', 'native'),
  inOrder: fc.boolean(),
})
const anyDecision = fc.tuple(anyPolicy, anyGraves, anySituation, anyOutcome, anyRandom).map((all): Decision => decide(...all))

const isLast = (steps: readonly Step[], kinds: readonly Step['kind'][]): boolean => kinds.includes(steps.at(-1)?.kind ?? 'send')

describe('decide, whatever happens', () => {
  it('never buries or counts a cancelled run', () => {
    fc.assert(
      fc.property(anyPolicy, anyGraves, anySituation, anyRandom, (policy, graves, situation, random) => {
        expect(decide(policy, graves, situation, { kind: 'failed', class: 'cancelled' }, random)).toEqual({ kind: 'release' })
      }),
    )
  })

  it('never buries a retryable failure before the budget is used, and never retries after', () => {
    fc.assert(
      fc.property(anyPolicy, anyGraves, anySituation, anyRandom, (policy, graves, situation, random) => {
        const used = policy.poison === 'deliveries' ? Math.max(situation.attempt, situation.deliveries) : situation.attempt
        const { kind } = decide(policy, graves, situation, { kind: 'failed', class: 'retryable' }, random)
        if (situation.runs <= policy.retry.immediate) expect(kind).toBe('run')
        else expect(kind).toBe(used < maxTurns(policy) ? 'retry' : 'bury')
      }),
    )
  })

  it('never runs a message that decide would not have let come back', () => {
    fc.assert(
      fc.property(anyPolicy, anyGraves, anySituation, (policy, graves, situation) => {
        const used = policy.poison === 'deliveries' ? Math.max(situation.attempt, situation.deliveries) : situation.attempt
        expect(beforeRun(policy, graves, situation).kind).toBe(used > maxTurns(policy) ? 'bury' : 'run')
      }),
    )
  })

  it('buries only where there is a grave, and nowhere only where there is none', () => {
    fc.assert(
      fc.property(anyPolicy, anyGraves, anySituation, anyOutcome, anyRandom, (policy, graves, situation, outcome, random) => {
        const decision = decide(policy, graves, situation, outcome, random)
        if (decision.kind !== 'bury') return
        expect(decision.reason).not.toBe('')
        if (decision.grave === 'dead-letter') expect(graves.deadLetter).toBe(true)
        if (decision.grave === 'invalid') expect(graves.invalid).toBe(true)
        if (decision.grave === 'nowhere') expect(graves.deadLetter).toBe(false)
      }),
    )
  })

  it('asks for delays that a broker can take', () => {
    fc.assert(
      fc.property(anyDecision, (decision) => {
        if (decision.kind === 'retry') expect(Number.isFinite(decision.delay) && decision.delay >= 0).toBe(true)
      }),
    )
  })
})

describe('plan, whatever was decided and whatever the broker can do', () => {
  function everyPlan(check: (steps: readonly Step[], decision: Decision, capabilities: PlanCapabilities) => void): void {
    fc.assert(
      fc.property(anyDecision, anyCapabilities, anyPreference, (decision, capabilities, preference) => {
        check(plan(decision, capabilities, preference), decision, capabilities)
      }),
      { numRuns: 1000 },
    )
  }

  it('never completes before it sends', () => {
    everyPlan((steps) => {
      const kinds = steps.map(({ kind }) => kind)
      if (kinds.includes('send')) expect(kinds).toEqual(['send', 'complete'])
      else expect(kinds.length).toBeLessThanOrEqual(1)
    })
  })

  it('is empty for a run and for nothing else', () => {
    everyPlan((steps, decision) => expect(steps.length === 0).toBe(decision.kind === 'run'))
  })

  it('ends every burial with the message gone from the source', () => {
    everyPlan((steps, decision) => {
      if (decision.kind === 'bury') expect(isLast(steps, ['complete', 'move', 'reject'])).toBe(true)
    })
  })

  it('makes a letter for every burial that has a grave, and for nothing else', () => {
    everyPlan((steps, decision) => {
      const hasLetter = steps.some((step) => step.kind === 'reject' || ('to' in step && step.to !== 'self'))
      expect(hasLetter).toBe(decision.kind === 'bury' && decision.grave !== 'nowhere')
    })
  })

  it('keeps within what the broker can do', () => {
    everyPlan((steps, _, capabilities) => {
      for (const step of steps) {
        if (step.kind === 'move') expect(capabilities.move).toBe('atomic')
        if (step.kind === 'reject') expect(capabilities.deadLetter.native).toBe(true)
        if (step.kind === 'retry') expect(capabilities.retry.by === 'native' || capabilities.retry.inPlace).toBe(true)
        if ('delay' in step) expect(step.delay).toBeLessThanOrEqual(capabilities.retry.maxDelay)
      }
    })
  })
})
