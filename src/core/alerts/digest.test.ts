import { describe, expect, it } from 'vitest'
import { type Digest, emptyDigest, offer, release, releaseAt } from './digest.ts'
import { alertFacts, notification, resolved } from './notification.fixture.ts'
import type { AlertFacts, Notification } from './notification.ts'

const minute = 60_000
const warning: Partial<AlertFacts> = { severity: 'warning' }

/** A group of its own for each number. */
function told(n: number, alert: Partial<AlertFacts> = warning, sequence = 1): Notification {
  return notification({ group: { key: `g${n}`, episode: 1, sequence }, alerts: [alertFacts({ fingerprint: `${n}`, ...alert })] })
}

/** Ten were told, a minute apart from 0 on. */
const full: Digest = { sent: Array.from({ length: 10 }, (_, n) => n * minute), held: [] }

describe('what is offered', () => {
  it('passes while fewer than ten were told in ten minutes', () => {
    expect(offer(emptyDigest, told(1), 5)).toEqual({ digest: { sent: [5], held: [] }, passes: told(1) })
    const nine = { ...full, sent: full.sent.slice(1) }
    expect(offer(nine, told(1), 9 * minute).passes).toEqual(told(1))
    expect(offer(full, told(1), 9 * minute).passes).toBeUndefined()
  })

  it('passes again when the first of the ten is ten minutes old', () => {
    expect(offer(full, told(1), 10 * minute - 1).passes).toBeUndefined()
    const { digest, passes } = offer(full, told(1), 10 * minute)
    expect(passes).toEqual(told(1))
    expect(digest.sent).toEqual([...full.sent.slice(1), 10 * minute])
  })

  it('is held otherwise, and counts as not told', () => {
    const { digest } = offer(full, told(1), 9 * minute)
    expect(digest).toEqual({ sent: full.sent, held: [told(1)] })
  })

  it.each([
    ['critical, fires, first', told(1, {}), true],
    ['critical, fires, new-alert', { ...told(1, {}), reason: 'new-alert' }, true],
    ['critical, fires, repeated', { ...told(1, {}), reason: 'repeat' }, false],
    ['critical, over, first', { ...told(1, {}), status: 'resolved' }, false],
    ['a warning that is new', told(1), false],
  ] as const)('passes whatever was told when it is critical news: %s', (_, news, passes) => {
    expect(offer(full, news as Notification, 9 * minute).passes !== undefined).toBe(passes)
  })

  it('takes the place of what is held of its group, with all that ended there', () => {
    const [first, over] = [told(1), told(1, { status: 'resolved' }, 2)]
    const held = [told(2), over]
    const { digest } = offer({ ...full, held }, told(1, { ...warning, fingerprint: 'other' }, 3), 9 * minute)
    expect(digest.held).toHaveLength(2)
    expect(digest.held[0]).toEqual(told(2))
    expect(digest.held[1]?.alerts.map(({ status }) => status)).toEqual(['firing', 'resolved'])
    const passed = offer({ sent: [], held: [told(2), over] }, told(1, { ...warning, fingerprint: 'other' }, 3), 0)
    expect(passed.digest.held).toEqual([told(2)])
    expect(passed.passes?.alerts).toHaveLength(2)
    expect(passed.passes?.id).toBe(told(1, {}, 3).id)
    expect(offer({ sent: [], held: [first] }, told(1, warning, 2), 0).passes).toEqual(told(1, warning, 2))
  })
})

describe('a summary', () => {
  const two = [told(1), told(2, {})]

  it('is due when there is room', () => {
    expect(releaseAt(full)).toBeUndefined()
    expect(releaseAt({ ...full, held: two })).toBe(10 * minute)
    expect(releaseAt({ sent: [...full.sent, 9.5 * minute], held: two })).toBe(11 * minute)
    expect(releaseAt({ sent: [5], held: two })).toBe(Number.NEGATIVE_INFINITY)
  })

  it('is nothing while nothing is held, or there is no room', () => {
    expect(release('mail', full, 20 * minute, 0)).toEqual({ digest: full })
    const held = { ...full, held: two }
    expect(release('mail', held, 10 * minute - 1, 0)).toEqual({ digest: held })
  })

  it('is one message, which counts, about everything that was held', () => {
    const { digest, summary } = release('mail', { ...full, held: two }, 10 * minute, Date.UTC(2030, 0, 3))
    expect(digest).toEqual({ sent: [...full.sent.slice(1), 10 * minute], held: [] })
    expect(summary).toMatchObject({
      reason: 'digest',
      status: 'firing',
      severity: 'CRITICAL',
      timestamp: '2030-01-03T00:00:00.000Z',
      subject: 'Summary of 2 groups of alerts, 2 of them firing',
      message: 'There were too many notifications to send each by itself. These are the latest of 2 groups.',
      more: 0,
      group: { episode: 600_000, sequence: 1 },
    })
    expect(summary?.id).toBe(`${summary?.group.dedupKey.slice('redrive:'.length)}.600000-1`)
    expect(summary?.alerts).toHaveLength(2)
  })

  it('is of its sink and its time', () => {
    const key = (sink: string): string | undefined => release(sink, { sent: [], held: two }, 0, 0).summary?.group.dedupKey
    expect(key('mail')).toMatch(/^redrive:[0-9a-f]{32}$/)
    expect(key('mail')).not.toBe(key('pager'))
  })

  it('lists what fires before what is over, at most twenty, and counts the rest', () => {
    const over = resolved({ alerts: Array.from({ length: 12 }, () => alertFacts({ status: 'resolved' })) })
    const firing = notification({
      group: { key: 'x', episode: 1, sequence: 1 },
      alerts: Array.from({ length: 25 }, () => alertFacts(warning)),
    })
    const { summary } = release('mail', { sent: [], held: [over, firing] }, 0, 0)
    expect(summary).toMatchObject({ status: 'firing', severity: 'WARNING', more: 17 })
    expect(summary?.subject).toBe('Summary of 2 groups of alerts, 1 of them firing')
    expect(summary?.alerts).toHaveLength(20)
    expect(summary?.alerts.every(({ status }) => status === 'firing')).toBe(true)
  })

  it('lists what nobody was told of yet before what people know, the worst first', () => {
    const isKnown: Partial<AlertFacts> = { ...warning, isKnown: true }
    const known = Array.from({ length: 19 }, (_, n) => told(n, { ...isKnown, fingerprint: `known ${n}` }))
    const held = [...known, told(30, { ...isKnown, severity: 'critical' }), told(31, { severity: 'info' }), told(32)]
    const { summary } = release('mail', { sent: [], held }, 0, 0)
    const shown = summary?.alerts.map((alert) => `${alert.severity}${alert.isKnown ? ' known' : ''}`) ?? []
    expect(shown.slice(0, 4)).toEqual(['WARNING', 'INFO', 'CRITICAL known', 'WARNING known'])
    expect([shown.length, summary?.more]).toEqual([20, 2])
  })

  it('of what is all over is over, as severe as the worst of it', () => {
    const over = (severity: AlertFacts['severity'], key: string): Notification =>
      resolved({ group: { key, episode: 1, sequence: 2 }, alerts: [alertFacts({ status: 'resolved', severity })] })
    const { summary } = release(
      'mail',
      { sent: [], held: [over('info', 'a'), over('critical', 'b'), over('warning', 'c')] },
      0,
      0,
    )
    expect(summary).toMatchObject({ status: 'resolved', severity: 'CRITICAL' })
    const mild = release('mail', { sent: [], held: [over('info', 'a'), over('warning', 'c')] }, 0, 0).summary
    expect(mild?.severity).toBe('WARNING')
  })
})
