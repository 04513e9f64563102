import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluate, initialRuleState, type RuleLimits, type Sample } from './alert-rule.ts'

const limits: RuleLimits = { resolveAfter: 300, failuresToRaise: 3 }
type Look = number | 'failed'

/** One look every 100 ms; each line shows what changed by it. */
function timeline(looks: readonly Look[], rule: typeof evaluate = evaluate): string[] {
  let state = initialRuleState
  return looks.map((look, index) => {
    const at = index * 100
    const sample: Sample = look === 'failed' ? { at, failed: 'unreachable' } : { at, count: look }
    const evaluation = rule(state, sample, limits)
    state = evaluation.state
    return evaluation.transitions.map(({ rule: name, change }) => `${name} ${change}`).join(', ')
  })
}

describe('a dead-letter channel', () => {
  it.each<[string, readonly Look[], readonly string[]]>([
    ['that stays empty says nothing', [0, 0, 0], ['', '', '']],
    ['with one letter raises at once, and once only', [0, 1, 1, 7], ['', 'dlq.any raised', 'dlq.any still', 'dlq.any still']],
    [
      'is resolved when it has been empty for long enough',
      [1, 0, 0, 0, 0, 0],
      ['dlq.any raised', 'dlq.any still', 'dlq.any still', 'dlq.any still', 'dlq.any resolved', ''],
    ],
    [
      'that is emptied and filled by turns is one alert',
      [1, 0, 0, 1, 0, 0, 1],
      ['dlq.any raised', ...Array.from({ length: 6 }, () => 'dlq.any still')],
    ],
    [
      'that is filled again after that raises again',
      [1, 0, 0, 0, 0, 1],
      ['dlq.any raised', 'dlq.any still', 'dlq.any still', 'dlq.any still', 'dlq.any resolved', 'dlq.any raised'],
    ],
    ['that cannot be probed twice says nothing', ['failed', 'failed', 0], ['', '', '']],
    [
      'that cannot be probed three times in a row raises an alert of its own, once',
      ['failed', 'failed', 'failed', 'failed', 0, 0],
      ['', '', 'probe.failed raised', 'probe.failed still', 'probe.failed resolved', ''],
    ],
    [
      'that cannot be probed is not empty: its alert stays, and its emptiness begins anew',
      [1, 0, 0, 'failed', 0, 0, 0, 0],
      ['dlq.any raised', ...Array.from({ length: 6 }, () => 'dlq.any still'), 'dlq.any resolved'],
    ],
    [
      'can have letters and be out of reach, and each is told',
      [2, 'failed', 'failed', 'failed', 2],
      [
        'dlq.any raised',
        'dlq.any still',
        'dlq.any still',
        'dlq.any still, probe.failed raised',
        'dlq.any still, probe.failed resolved',
      ],
    ],
  ])('%s', (_, looks, changes) => {
    expect(timeline(looks)).toEqual(changes)
  })
})

/** What must hold for any looks: raised and resolved take turns, and a failed probe neither raises nor resolves `dlq.any`. */
function violations(rule: typeof evaluate): string[] {
  const found = new Set<string>()
  const look = fc.oneof(fc.constant<Look>('failed'), fc.constant(0), fc.nat(3))
  fc.assert(
    fc.property(fc.array(look, { maxLength: 30 }), (looks) => {
      const changes = timeline(looks, rule)
      for (const name of ['dlq.any', 'probe.failed']) {
        const story = changes.flatMap((line) => line.match(new RegExp(`${name} (raised|resolved)`))?.[1] ?? [])
        if (story.some((change, index) => change !== (index % 2 === 0 ? 'raised' : 'resolved'))) found.add('not by turns')
      }
      for (const [index, each] of looks.entries()) {
        if (each === 'failed' && /dlq\.any (raised|resolved)/.test(changes[index] ?? '')) found.add('a failed probe was a count')
        if (each !== 'failed' && each > 0 && !changes[index]?.includes('dlq.any')) found.add('a letter was not told')
      }
    }),
    { numRuns: 500, seed: 7 },
  )
  return [...found].sort()
}

describe('whatever the probes give', () => {
  it('each alert is raised and resolved by turns, and a failed probe counts for nothing but itself', () => {
    expect(violations(evaluate)).toEqual([])
  })

  it('would catch a rule that raises at every look', () => {
    const atEveryLook: typeof evaluate = (before, sample, own) => evaluate({ ...before, lettersUp: false }, sample, own)
    expect(violations(atEveryLook)).toContain('not by turns')
  })

  it('would catch a rule that takes a failed probe for an empty channel', () => {
    const asZero: typeof evaluate = (before, { at, count }, own) => evaluate(before, { at, count: count ?? 0 }, own)
    expect(violations(asZero)).toContain('a failed probe was a count')
  })
})
