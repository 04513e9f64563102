import { describe, expect, it } from 'vitest'
import { prometheusText } from '../../src/core/metrics/prometheus-text.ts'
import { type Measured, mostSources, planeMetrics } from '../../src/ops/metrics/plane-metrics.ts'
import { fromOwnPage, inject, type Person, type World, world } from './server.fixture.ts'

async function scrape({ server }: World, { cookie }: Person): Promise<string> {
  const answer = await inject(server, { method: 'GET', url: '/metrics', headers: { ...fromOwnPage, cookie } })
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  return answer.body
}

describe('what Prometheus is told', () => {
  it('is what lies in every source, by connection and queue', async () => {
    const made = await world()
    const text = await scrape(made, await made.person())
    expect(text).toContain(
      '# TYPE redrive_letters_kept_total counter\nredrive_letters_kept_total{connection="shop",queue_name="dlq.invoices"} 3\n',
    )
    expect(text).toContain('redrive_letters{connection="shop",queue_name="dlq.orders",state="open"} 3\n')
    expect(text).toContain('redrive_unresolved_letters{connection="shop",queue_name="dlq.orders"} 3\n')
    expect(text).toContain('redrive_source_up{connection="shop",queue_name="dlq.orders"}')
  })

  it('security case 19: holds nothing of sources that somebody may not see, nor of what concerns all', async () => {
    const made = await world()
    const text = await scrape(made, await made.person({ role: 'viewer', sources: ['shop/dlq.orders'] }))
    expect(text).toContain('dlq.orders')
    expect(text).not.toMatch(/dlq\.invoices|redrive_deliveries|redrive_alerts_firing/)
  })

  it('security case 55: is nothing for a stranger', async () => {
    const made = await world()
    const answer = await inject(made.server, { method: 'GET', url: '/metrics' })
    expect(answer.statusCode).toBe(401)
    expect(answer.body).not.toMatch(/dlq|redrive_/)
  })

  it('never grows without bound, and escapes whatever a queue is called', async () => {
    const source = (n: number): Measured['sources'][number] => ({
      source: {
        ...{ id: n, connection: 'shop', channel: `q"${n}\n`, part: '', group: '', position: null, readAt: null, problem: null },
        ...{ deliveries: 1, deduplicated: 0, inserted: 1, letters: { open: 1 } },
      },
      mode: 'watch',
      onBroker: { unknownSince: 0, problem: 'unreachable' },
      unresolved: 1,
      isAtLeast: true,
    })
    const many = Array.from({ length: mostSources + 7 }, (_, n) => source(n))
    const text = prometheusText(planeMetrics({ sources: many, replayed: [], notifiers: [], alerts: [] }))
    expect(text.split('\n').filter((line) => line.startsWith('redrive_unresolved_letters{'))).toHaveLength(mostSources)
    expect(text).toContain('redrive_sources_not_shown 7\n')
    expect(text).toContain('queue_name="q\\"0\\n"')
    expect(text).not.toContain('redrive_broker_letters')
  })
})
