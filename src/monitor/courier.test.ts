import { describe, expect, it } from 'vitest'
import { type Alert, alertOf } from '../core/alerts/monitor/alert.ts'
import { notSent, type SendOutcome, sent } from '../outgoing/send-outcome.ts'
import { virtualClock } from '../platform/virtual-clock.ts'
import { createCourier } from './courier.ts'
import type { Notifier } from './notifier.ts'

function anAlert(id: string): Alert {
  const facts = { id, status: 'firing', rule: 'dlq.any', component: 'test', channel: 'dead', at: 0 } as const
  return alertOf({ ...facts, count: 1, failure: undefined, correlationIds: [] })
}

/** A notifier that answers by a script; when that is over, it takes everything. */
function courierOf(script: readonly (SendOutcome | 'throws' | 'hangs')[]) {
  const clock = virtualClock()
  const tries: string[] = []
  const lines: { readonly message: string; readonly fields: object }[] = []
  const answers = [...script]
  const notifier: Notifier = {
    name: 'scripted',
    send({ id }) {
      tries.push(`${id} at ${clock.monotonic()}`)
      const answer = answers.shift() ?? sent
      if (answer === 'throws') throw new TypeError('secret text')
      return answer === 'hangs' ? new Promise(() => {}) : Promise.resolve(answer)
    },
  }
  const courier = createCourier({
    notifier,
    clock,
    random: () => 0,
    log: (_, fields, message) => void lines.push({ fields, message }),
    timeout: 10_000,
  })
  return { clock, courier, tries, lines }
}

const unavailable = notSent('away', true)
const refused = notSent('refused', false)

describe('a courier', () => {
  it('tries again with backoff for as long as it may help', async () => {
    const { clock, courier, tries, lines } = courierOf([unavailable, unavailable, unavailable])
    courier.deliver(anAlert('a'))
    await clock.advance(60_000)
    expect(tries).toEqual(['a at 0', 'a at 1000', 'a at 3000', 'a at 7000'])
    expect(lines.map(({ message }) => message)).toEqual([
      ...Array.from({ length: 3 }, () => 'Failed to send an alert; it is tried again'),
      'Alert sent',
    ])
  })

  it('waits as long as the receiver asks', async () => {
    const { clock, courier, tries } = courierOf([notSent('busy', true, 30_000)])
    courier.deliver(anAlert('a'))
    await clock.advance(60_000)
    expect(tries).toEqual(['a at 0', 'a at 30000'])
  })

  it('does not try again what was refused for good, and goes on with the next', async () => {
    const { clock, courier, tries, lines } = courierOf([refused])
    courier.deliver(anAlert('a'))
    courier.deliver(anAlert('b'))
    await clock.settle()
    expect(tries).toEqual(['a at 0', 'b at 0'])
    expect(lines.map(({ message }) => message)).toEqual(['Failed to send an alert; it is given up', 'Alert sent'])
  })

  it('tries again after an exception and after a silence, and quotes neither', async () => {
    const { clock, courier, tries, lines } = courierOf(['throws', 'hangs'])
    courier.deliver(anAlert('a'))
    await clock.advance(60_000)
    expect(tries).toEqual(['a at 0', 'a at 1000', 'a at 13000'])
    expect(JSON.stringify(lines)).not.toContain('secret text')
  })

  it('keeps the order: what came later waits', async () => {
    const { clock, courier, tries } = courierOf([unavailable])
    courier.deliver(anAlert('raised'))
    courier.deliver(anAlert('resolved'))
    await clock.advance(60_000)
    expect(tries).toEqual(['raised at 0', 'raised at 1000', 'resolved at 1000'])
  })

  it('gives up after a day', async () => {
    const { clock, courier, lines } = courierOf(Array.from({ length: 1000 }, () => unavailable))
    courier.deliver(anAlert('a'))
    await clock.advance(25 * 3_600_000)
    expect(lines.at(-1)?.message).toBe('Failed to send an alert; it is given up')
  })

  it('keeps no more than a hundred alerts for a receiver that is away, and tells which it drops', async () => {
    const { clock, courier, lines } = courierOf(Array.from({ length: 1000 }, () => unavailable))
    for (let n = 0; n < 105; n++) courier.deliver(anAlert(`a${n}`))
    await clock.settle()
    expect(lines.filter(({ message }) => message.includes('given up'))).toHaveLength(4)
  })

  it('that stops sends what waits, as long as that works', async () => {
    const { courier, tries } = courierOf([])
    for (const id of ['a', 'b', 'c']) courier.deliver(anAlert(id))
    await courier.stop()
    expect(tries).toEqual(['a at 0', 'b at 0', 'c at 0'])
  })

  it('that stops while the receiver is away tries once more, and tells what it gave up', async () => {
    const { clock, courier, tries, lines } = courierOf([unavailable, unavailable])
    courier.deliver(anAlert('a'))
    courier.deliver(anAlert('b'))
    await clock.settle()
    await courier.stop()
    expect(tries).toEqual(['a at 0', 'a at 0'])
    expect(lines.filter(({ message }) => message.includes('given up'))).toHaveLength(2)
  })
})
