import { describe, expect, test } from 'vitest'
import { ruleFrom } from '../../src/core/alerts/rule-options.ts'
import { alerting, raise } from '../control/alerting.fixture.ts'
import { sourceIn } from '../control/letters.fixture.ts'
import { channelReport, report } from '../control/reports.fixture.ts'
import { type Person, type World, world } from './server.fixture.ts'

const hour = 3_600_000
const orders = { source: 'shop', queue: 'dlq.orders' }
const invoices = { source: 'shop', queue: 'dlq.invoices' }

/** One alert about each of two queues, and one about the control plane itself. */
async function alarmed(): Promise<{ made: World; about: readonly string[] }> {
  const made = await world()
  const about = await raise(
    made.vault,
    [
      { subject: orders, values: { letters: 3 }, evidence: { correlationIds: ['c-1', 'Jane Doe'] } },
      { subject: invoices, values: { letters: 1 } },
      { subject: { source: '' }, values: { diskFree: 0.01, difference: 1 } },
    ],
    made.clock.now(),
  )
  return { made, about }
}

interface Shown {
  readonly alerts: readonly { readonly fingerprint: string; readonly rule: string; readonly queue: string | null }[]
}

async function seenBy({ ask }: Person): Promise<readonly string[]> {
  const { alerts } = (await ask('GET', '/alerts')).json() as { alerts: { source: string; queue: string | null }[] }
  return alerts.map(({ source, queue }) => `${source} ${queue}`).toSorted()
}

describe('alerts over HTTP', () => {
  test('are listed with what people need, and nothing that looks like a person', async () => {
    const { made } = await alarmed()
    const { ask } = await made.person({ role: 'viewer' })
    const answer = await ask('GET', '/alerts')
    expect(answer.statusCode).toBe(200)
    const [first] = (answer.json() as Shown).alerts.filter(({ queue }) => queue === 'dlq.orders')
    expect(first).toMatchObject({
      rule: 'dlq.any',
      severity: 'critical',
      phase: 'firing',
      figures: { count: 3, threshold: 0 },
      message: '1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.',
      correlationIds: ['c-1', expect.stringMatching(/^sha256:/)],
    })
    expect(answer.body).not.toContain('Jane')
  })

  test('are shown to those who were given their source, and to nobody else', async () => {
    const { made, about } = await alarmed()
    const { ask } = await made.person({ role: 'operator', sources: ['shop/dlq.orders'] })
    const { alerts } = (await ask('GET', '/alerts')).json() as Shown
    expect(alerts.map(({ queue }) => queue)).toEqual(['dlq.orders'])
    // However few are asked for, and whoever else's changed last.
    expect(((await ask('GET', '/alerts?limit=1')).json() as Shown).alerts).toEqual(alerts)
    const codes = []
    for (const fingerprint of about) codes.push((await ask('GET', `/alerts/${fingerprint}`)).statusCode)
    expect(codes.toSorted()).toEqual([200, ...Array.from({ length: about.length - 1 }, () => 403)])
    const until = made.clock.now() + hour
    const [theirs] = alerts
    const foreign = about.find((fingerprint) => fingerprint !== theirs?.fingerprint)
    expect((await ask('POST', `/alerts/${foreign}/acknowledge`, { until })).statusCode).toBe(403)
    expect((await ask('POST', `/alerts/${theirs?.fingerprint}/acknowledge`, { until })).statusCode).toBe(200)
  })

  test('about consumers are for those who were given a source of their dead letters, whatever a connection is called', async () => {
    const made = await world()
    const { vault, clock } = made
    const now = clock.now()
    await vault.write('keepReport', { report: report({ service: 'till' }), scopes: [['*']], now })
    const about = await raise(vault, [{ subject: { source: 'till', queue: 'orders' }, values: { breakerOpen: 1 } }], now)
    const url = `/alerts/${about[0]}`
    const until = { until: now + hour }
    const some = await made.person({ role: 'operator', sources: ['shop/dlq.orders'] })
    expect(await seenBy(some)).toEqual(['till orders'])
    expect((await some.ask('POST', `${url}/acknowledge`, until)).statusCode).toBe(200)
    const namesake = await made.person({ role: 'operator', sources: ['till/*'] })
    expect(await seenBy(namesake)).toEqual([])
    for (const [method, path, body] of [['GET', url] as const, ['POST', `${url}/snooze`, until] as const])
      expect((await namesake.ask(method, path, body)).statusCode).toBe(403)
    await sourceIn(vault, 'dlq.orders', 'staging')
    expect((await some.ask('POST', `${url}/snooze`, until)).json()).toMatchObject({ status: 403, code: 'not-allowed' })
    const both = await made.person({ role: 'operator', sources: ['*/dlq.orders'] })
    expect((await both.ask('POST', `${url}/snooze`, until)).statusCode).toBe(200)
  })

  test('about a part of a channel are for those who were given the channel', async () => {
    const made = await world()
    const { vault, clock } = made
    const now = clock.now()
    await vault.write('registerSource', { connection: 'bus', channel: 'orders', part: 'dead-letter', group: '' })
    await vault.write('registerSource', { connection: 'bus', channel: 'events', part: 'dead-letter', group: 'billing' })
    const channels = [
      channelReport({ deadLetter: 'orders/$DeadLetterQueue' }),
      channelReport({ name: 'events', group: 'billing', deadLetter: 'events/Subscriptions/billing/$DeadLetterQueue' }),
    ]
    await vault.write('keepReport', { report: report({ service: 'till', channels }), scopes: [['*']], now })
    const orderLetters = { source: 'bus', queue: 'orders/dead-letter' }
    const eventLetters = { source: 'bus', queue: 'events/dead-letter', consumerGroup: 'billing' }
    const unread = { source: 'bus', queue: 'refunds/dead-letter' }
    await raise(
      vault,
      [
        ...[orderLetters, eventLetters, unread].map((subject) => ({ subject, values: { letters: 1 } })),
        { subject: { source: 'till', queue: 'orders' }, values: { breakerOpen: 1 } },
        { subject: { source: 'till', queue: 'events', consumerGroup: 'billing' }, values: { breakerOpen: 1 } },
      ],
      now,
    )
    const given = async (...sources: readonly string[]) => seenBy(await made.person({ role: 'viewer', sources }))
    expect(await given('bus/orders')).toEqual(['bus orders/dead-letter', 'till orders'])
    expect(await given('bus/events')).toEqual(['bus events/dead-letter', 'till events'])
    expect(await given('bus/orders/*', 'bus/events/dead-letter', 'bus/refunds/*')).toEqual([])
    expect(await given('bus/refunds*')).toEqual(['bus refunds/dead-letter'])
  })

  test('are acknowledged and snoozed, and who did it stands in the audit trail', async () => {
    const { made, about } = await alarmed()
    const { ask } = await made.person({ role: 'operator', name: 'ana' })
    const until = made.clock.now() + hour
    const done = (await ask('POST', `/alerts/${about[0]}/acknowledge`, { until })).json()
    expect(done).toMatchObject({ acknowledged: { by: 'ana', until } })
    expect((await ask('POST', `/alerts/${about[0]}/unacknowledge`)).json()).toMatchObject({ acknowledged: null })
    expect((await ask('POST', `/alerts/${about[0]}/snooze`, { until })).json()).toMatchObject({ mutedBy: 'silence' })
    expect((await ask('POST', `/alerts/${about[0]}/snooze`, { until: 1 })).statusCode).toBe(400)
    const rows = (await made.audit()).filter(({ actor }) => actor === 'ana').map(({ action, result }) => `${action} ${result}`)
    expect(rows).toEqual([
      ...['alerts.acknowledge attempted', 'alerts.acknowledge done'],
      ...['alerts.unacknowledge attempted', 'alerts.unacknowledge done'],
      ...['alerts.snooze attempted', 'alerts.snooze done'],
      ...['alerts.snooze attempted', 'alerts.snooze failed'],
    ])
  })

  test('silences of sources that somebody was not given are not shown to them', async () => {
    const { made } = await alarmed()
    const { ask } = await made.person({ role: 'operator' })
    const silence = (name: string, is: string, value: string) =>
      ask('POST', '/silences', {
        matchers: [
          { name: 'severity', is: '=', value: 'critical' },
          { name, is, value },
        ],
        reason: `${name}${is}${value}`,
        endsAt: made.clock.now() + hour,
      })
    for (const [is, value] of [
      ['=', 'dlq.orders'],
      ['=', 'dlq.invoices'],
      ['=~', 'dlq.o*'],
      ['=~', '*.invoices'],
      ['!=', 'dlq.orders'],
    ] as const)
      await silence('queue', is, value)
    await silence('source', '=', 'bank')
    const some = await made.person({ role: 'viewer', sources: ['shop/dlq.orders'] })
    const reasons = (await some.ask('GET', '/silences')).json().silences.map(({ reason }: { reason: string }) => reason)
    expect(reasons.toSorted()).toEqual(['queue=dlq.orders', 'queue=~dlq.o*'])
    expect((await ask('GET', '/silences')).json().silences).toHaveLength(6)
  })

  test('are silenced by those who were given everything, with matchers and reason in the audit trail', async () => {
    const { made } = await alarmed()
    const endsAt = made.clock.now() + hour
    const body = { matchers: [{ name: 'queue', is: '=~', value: 'dlq.*' }], reason: 'load test', endsAt }
    const some = await made.person({ role: 'operator', sources: ['shop/dlq.orders'] })
    expect((await some.ask('POST', '/silences', body)).statusCode).toBe(403)
    const { ask } = await made.person({ role: 'operator', name: 'ana' })
    const silence = (await ask('POST', '/silences', body)).json() as { id: number }
    expect(silence).toMatchObject({ author: 'ana', endsAt, isActive: true })
    const { alerts } = (await ask('GET', '/alerts')).json() as { alerts: { queue: string | null; mutedBy: string | null }[] }
    expect(alerts.filter(({ mutedBy }) => mutedBy === 'silence').map(({ queue }) => queue)).toHaveLength(2)
    expect((await ask('POST', `/silences/${silence.id}/extend`, { endsAt: endsAt + 8 * 24 * hour })).statusCode).toBe(400)
    expect((await ask('POST', `/silences/${silence.id}/extend`, { endsAt: endsAt + hour })).json()).toMatchObject({
      endsAt: endsAt + hour,
    })
    expect((await ask('POST', `/silences/${silence.id}/end`)).statusCode).toBe(200)
    expect((await ask('POST', `/silences/${silence.id}/end`)).statusCode).toBe(409)
    expect((await ask('GET', '/silences')).json()).toEqual({ silences: [] })
    const made_ = (await made.audit()).find(({ action, result }) => action === 'silences.make' && result === 'attempted')
    expect(made_?.detail).toContain('load test')
  })

  test('the rules in force are listed, and one is tried on what was seen', async () => {
    const { made } = await alarmed()
    const { ask } = await made.person({ role: 'viewer' })
    const { rules } = (await ask('GET', '/rules')).json() as { rules: { id: string }[] }
    expect(rules.map(({ id }) => id)).toContain('dlq.any')
    const test = (await ask('POST', '/rules/dlq.any/test', { since: made.clock.now() - hour })).json()
    expect(test).toMatchObject({
      samples: 3,
      changes: [
        { change: 'fired', subject: invoices },
        { change: 'fired', subject: orders },
      ],
    })
    expect((await ask('POST', '/rules/cause.new/test', { since: 0, limit: 3 })).statusCode).toBe(200)
    expect((await ask('POST', '/rules/broker.down/test', { since: 0, limit: 3 })).statusCode).toBe(400)
  })

  test('rules about sources that somebody was not given are not shown to them', async () => {
    const written = [
      { id: 'all', like: 'dlq.any' },
      { id: 'orders', like: 'dlq.any', queue: 'dlq.o*' },
      { id: 'invoices', like: 'dlq.any', source: 'shop', queue: 'dlq.invoices' },
      { id: 'shop', like: 'broker.down', source: 'shop' },
      { id: 'bank', like: 'broker.down', source: 'bank' },
      { id: 'till', like: 'breaker.open', source: 'till' },
      { id: 'desk', like: 'breaker.open', source: 'desk' },
      { id: 'lag of orders', like: 'source.lag', source: 's*', queue: 'orders' },
      { id: 'lag of invoices', like: 'source.lag', queue: 'invoices' },
      { id: 'lag', like: 'source.lag', queue: '*' },
    ]
    const made = await world({}, undefined, { ...alerting, rules: written.map(ruleFrom) })
    const [orders, invoices] = ['orders', 'invoices'].map((name) => [channelReport({ name, deadLetter: `dlq.${name}` })])
    for (const [service, channels = []] of [['till', orders] as const, ['desk', invoices] as const]) {
      await made.vault.write('keepReport', { report: report({ service, channels }), scopes: [['*']], now: made.clock.now() })
    }
    const rulesFor = async (...sources: readonly string[]): Promise<readonly string[]> => {
      const { ask } = await made.person({ role: 'viewer', sources })
      return (await ask('GET', '/rules')).json().rules.map(({ id }: { id: string }) => id)
    }
    expect(await rulesFor('*')).toEqual(written.map(({ id }) => id))
    expect(await rulesFor('shop/dlq.orders', 'shop/orders')).toEqual(['all', 'orders', 'shop', 'till', 'lag of orders', 'lag'])
    expect(await rulesFor('elsewhere/*')).toEqual(['all'])
  })

  test('what was said is listed, and a dead one is sent again', async () => {
    const { made } = await alarmed()
    const { ask } = await made.person({ role: 'operator' })
    const { deliveries } = (await ask('GET', '/deliveries')).json() as { deliveries: { id: number; state: string }[] }
    expect(deliveries[0]).toMatchObject({ sink: 'mail', state: 'waiting', reason: 'first' })
    const id = deliveries[0]?.id ?? 0
    expect((await ask('POST', `/deliveries/${id}/redeliver`)).statusCode).toBe(409)
    await made.vault.write('deliveryGivenUp', { id, now: made.clock.now(), collapsed: [], problem: 'status 404' })
    expect((await ask('GET', '/deliveries?state=dead')).json()).toMatchObject({ deliveries: [{ id, problem: 'status 404' }] })
    expect((await ask('POST', `/deliveries/${id}/redeliver`)).json()).toMatchObject({ state: 'waiting', attempts: 0 })
  })
})
