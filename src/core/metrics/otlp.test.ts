import { describe, expect, it } from 'vitest'
import type { MetricFamily } from './metric-family.ts'
import { otlpMetrics } from './otlp.ts'

const options = { resource: { 'service.name': 'shop' }, since: 1_700_000_000_000, at: 1_700_000_060_000 }
const labels = { 'queue.name': 'orders', replayed: 'false' }
const attributes = [
  { key: 'queue.name', value: { stringValue: 'orders' } },
  { key: 'replayed', value: { stringValue: 'false' } },
]
const times = { startTimeUnixNano: '1700000000000000000', timeUnixNano: '1700000060000000000' }

function told(family: MetricFamily): object {
  return { resourceMetrics: [{ scopeMetrics: [{ metrics: [family].map(({ name, help }) => ({ name, description: help })) }] }] }
}

describe('counts, for OTLP', () => {
  it('a counter is a sum that only grows, with whole numbers as text', () => {
    const family: MetricFamily = {
      ...{ name: 'messages_received_total', help: 'Taken.', kind: 'counter', points: [{ labels, value: 12 }] },
    }
    expect(otlpMetrics([family], options)).toEqual({
      resourceMetrics: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
          scopeMetrics: [
            {
              scope: { name: 'redrive' },
              metrics: [
                {
                  ...{ name: 'messages_received_total', description: 'Taken.' },
                  sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ ...times, attributes, asInt: '12' }] },
                },
              ],
            },
          ],
        },
      ],
    })
  })

  it('a gauge has no direction', () => {
    const family: MetricFamily = { name: 'held', help: 'Held.', kind: 'gauge', points: [{ labels, value: 0.5 }] }
    expect(otlpMetrics([family], options)).toMatchObject(told(family))
    expect(JSON.stringify(otlpMetrics([family], options))).toContain('"gauge":{"dataPoints":[{')
    expect(JSON.stringify(otlpMetrics([family], options))).toContain('"asDouble":0.5')
  })

  it('a histogram has one bucket more than bounds, not added up', () => {
    const value = { bounds: [0.1, 1, 10], buckets: [0, 1, 2, 3], sum: 4.5, count: 6 }
    const family: MetricFamily = {
      name: 'handler_duration_seconds',
      help: 'Took.',
      kind: 'histogram',
      unit: 's',
      points: [{ labels, value }],
    }
    const text = JSON.stringify(otlpMetrics([family], options))
    expect(text).toContain('"count":"6","sum":4.5,"bucketCounts":["0","1","2","3"],"explicitBounds":[0.1,1,10]')
    expect(text).toContain('"unit":"s"')
  })

  it('what is older than the process does not say since when it was counted', () => {
    const family: MetricFamily = { name: 'kept_total', help: '', kind: 'counter', points: [{ labels, value: 3 }] }
    const { resource, at } = options
    const text = JSON.stringify(otlpMetrics([family], { resource, at }))
    expect(text).toContain(`"timeUnixNano":"${times.timeUnixNano}"`)
    expect(text).not.toContain('startTimeUnixNano')
  })

  it('what was not counted yet is left out', () => {
    const family: MetricFamily = { name: 'none', help: '', kind: 'counter', points: [] }
    expect(JSON.stringify(otlpMetrics([family], options))).toContain('"metrics":[]')
  })
})
