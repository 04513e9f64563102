import { describe, expect, test } from 'vitest'
import { defaultRules } from '../../../../src/core/alerts/default-rules.ts'
import type { Alert } from '../../api/alerts.ts'
import type { Consumer, ConsumerChannel } from '../../api/consumers.ts'
import type { Rule } from '../../api/rules.ts'
import { everyStep, heightOf, nameOf, percentText, shareOf, thresholdsOf, topOf, worstFirst } from './failure-rate.model.ts'
import { worstAlerts } from './firing.model.ts'
import { everyHour, scaleOf } from './flow.model.ts'
import { steeredChannels } from './steered.model.ts'

const rules = JSON.parse(JSON.stringify(defaultRules)) as readonly Rule[]
const rates = (channel: string, ...steps: readonly (readonly [at: number, handled: number, deadLettered: number])[]) => ({
  ...{ service: 'shop', channel, group: null },
  steps: steps.map(([at, handled, deadLettered]) => ({ at, handled, deadLettered })),
})

describe('thresholds', () => {
  test('are those of the seeds, from the rules that are in force, the lowest first', () => {
    expect(thresholdsOf(rules)).toEqual([
      { rule: 'fail.ratio', severity: 'warning', limit: 0.01 },
      { rule: 'fail.ratio.critical', severity: 'critical', limit: 0.05 },
      { rule: 'fail.ratio.acute', severity: 'critical', limit: 0.1 },
    ])
    expect(thresholdsOf([])).toEqual([])
  })

  test('are always within the picture, and apart from each other even where everything fails', () => {
    const thresholds = thresholdsOf(rules)
    for (const deadLettered of [0, 1, 100]) {
      const steps = [{ at: 0, handled: 100, deadLettered }]
      const heights = thresholds.map(({ limit }) => heightOf(limit, topOf(steps, thresholds)))
      expect(heights.every((height) => height > 0.05 && height < 1)).toBe(true)
      expect(heights).toEqual(heights.toSorted((one, other) => one - other))
    }
  })
})

describe('the share that was dead-lettered', () => {
  test('is not known where nothing was handled, and never more than all', () => {
    expect([shareOf({ handled: 0, deadLettered: 0 }), shareOf({ handled: 4, deadLettered: 1 })]).toEqual([undefined, 0.25])
    expect(shareOf({ handled: 1, deadLettered: 3 })).toBe(1)
  })

  test('is shown for every step, added up over channels, and 0 of 0 where nobody looked', () => {
    const channels = [rates('a', [20, 5, 1], [30, 1, 0]), rates('b', [20, 5, 2])]
    expect(everyStep(channels, { now: 35, step: 10 }, 3)).toEqual([
      { at: 10, handled: 0, deadLettered: 0 },
      { at: 20, handled: 10, deadLettered: 3 },
      { at: 30, handled: 1, deadLettered: 0 },
    ])
  })

  test('is of the worst channel first, so that no mean hides it', () => {
    const channels = [rates('fine', [0, 1000, 1]), rates('idle'), rates('bad', [0, 10, 5])]
    expect(worstFirst(channels).map(({ channel }) => channel)).toEqual(['bad', 'fine', 'idle'])
  })

  test('is written with two digits, and names its group', () => {
    expect([percentText(0.01), percentText(0.12345), percentText(1)]).toEqual(['1%', '12%', '100%'])
    expect([nameOf(rates('a')), nameOf({ ...rates('a'), group: 'g' })]).toEqual(['shop: a', 'shop: a (g)'])
  })
})

describe('what came and went', () => {
  test('is shown for every hour, also those in which nothing happened', () => {
    expect(everyHour([{ hour: 9, arrived: 3, settled: 1 }], 10, 3)).toEqual([
      { hour: 8, arrived: 0, settled: 0 },
      { hour: 9, arrived: 3, settled: 1 },
      { hour: 10, arrived: 0, settled: 0 },
    ])
  })

  test('has a scale of round numbers at or above the largest', () => {
    const scales = [0, 1, 2, 3, 7, 10, 11, 499, 501].map((arrived) => scaleOf([{ hour: 0, arrived, settled: 0 }]))
    expect(scales).toEqual([1, 1, 2, 5, 10, 10, 20, 500, 1000])
  })
})

describe('alerts that fire', () => {
  const alert = (fingerprint: string, more: Partial<Alert>): Alert =>
    ({ fingerprint, severity: 'warning', phase: 'firing', mutedBy: null, firedAt: 0, ...more }) as Alert

  test('are the worst and then the newest first, without what is pending, over, silenced or told by another', () => {
    const alerts = [
      alert('old', { firedAt: 1 }),
      alert('new', { firedAt: 2 }),
      alert('worst', { severity: 'critical', phase: 'recovering' }),
      alert('pending', { phase: 'pending' }),
      alert('over', { phase: 'ok' }),
      alert('silenced', { mutedBy: 'silence' }),
      alert('inhibited', { mutedBy: 'inhibition' }),
    ]
    expect(worstAlerts(alerts).map(({ fingerprint }) => fingerprint)).toEqual(['worst', 'new', 'old'])
  })
})

describe('channels to pause', () => {
  const channel = (name: string, state: ConsumerChannel['state'], group: string | null = null): ConsumerChannel =>
    ({ name, group, state, order: null }) as ConsumerChannel
  const consumer = (state: Consumer['state'], ...channels: readonly ConsumerChannel[]): Consumer =>
    ({ service: 'shop', state, channels }) as Consumer

  test('are one over all processes of a service, with how many are in which state', () => {
    const consumers = [
      consumer('reporting', channel('orders', 'consuming'), channel('orders', 'consuming', 'eu')),
      consumer('reporting', channel('orders', 'paused')),
      consumer('unknown', channel('orders', 'unknown')),
      consumer('stopped', channel('orders', 'stopped')),
    ]
    expect(steeredChannels(consumers)).toMatchObject([
      {
        ...{ service: 'shop', name: 'orders', group: null },
        states: [
          { state: 'consuming', processes: 1 },
          { state: 'paused', processes: 1 },
          { state: 'unknown', processes: 1 },
        ],
      },
      { group: 'eu', states: [{ state: 'consuming', processes: 1 }] },
    ])
  })
})
