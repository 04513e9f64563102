import { describe, expect, it } from 'vitest'
import { inbox, type News, outbox, told } from '../../test/alerts/outbox.fixture.ts'
import { neverTold } from '../core/alerts/collapse.ts'
import { notSent, type SendOutcome } from '../outgoing/send-outcome.ts'

const down = (): SendOutcome => notSent('The receiver answered with status 503', true)
const fire = (group: string, episode = 1, sequence = 1): News => ({ group, kind: 'fire', episode, sequence })
const resolve = (group: string, episode = 1, sequence = 2): News => ({ group, kind: 'resolve', episode, sequence })
const minutes = 60_000
const hours = 3_600_000

describe('a line to one sink', () => {
  it('sends what waits in order, at most one a second, and notes it', async () => {
    const { clock, queue, line, states } = outbox()
    const mail = inbox('mail', clock)
    await queue('mail', fire('a'), fire('b'), fire('c'))
    line(mail).start()
    await clock.advance(10_000)
    expect(mail.took.map(({ id }) => id)).toEqual([fire('a'), fire('b'), fire('c')].map((news) => told(news).id))
    expect(mail.tries).toEqual([0, 1000, 2000])
    expect(await states()).toEqual(['sent', 'sent', 'sent'])
  })

  it('sends what comes later within a second, and at once when it is woken', async () => {
    const { clock, queue, line } = outbox()
    const mail = inbox('mail', clock)
    const own = line(mail)
    own.start()
    await clock.advance(5500)
    await queue('mail', fire('a'))
    own.wake()
    await clock.settle()
    expect(mail.tries).toEqual([5500])
    await queue('mail', fire('b'))
    await clock.advance(2000)
    expect(mail.took).toHaveLength(2)
  })

  it('tries again after 1 s, 2 s, 4 s and so on up to 5 min', async () => {
    const { clock, queue, line } = outbox()
    const mail = inbox('mail', clock)
    mail.answer = down
    await queue('mail', fire('a'))
    line(mail).start()
    await clock.advance(30 * minutes)
    const waits = mail.tries.slice(1).map((at, index) => Math.round((at - (mail.tries[index] ?? 0)) / 1000))
    expect(waits.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  })

  it('waits as long as the receiver asks, with everything that it has', async () => {
    const { clock, queue, line } = outbox()
    const mail = inbox('mail', clock)
    mail.answer = () => (mail.tries.length === 1 ? notSent('busy', true, 7 * minutes) : { kind: 'sent' })
    await queue('mail', fire('a'), fire('b'))
    line(mail).start()
    await clock.advance(7 * minutes - 1)
    expect(mail.tries).toHaveLength(1)
    await clock.advance(5000)
    expect(mail.took).toHaveLength(2)
  })

  it('gives up at once what is refused for good, and goes on with the next', async () => {
    const { clock, queue, line, states } = outbox()
    const mail = inbox('mail', clock)
    const isA = told(fire('a')).id
    mail.answer = ({ id }) => (id === isA ? notSent('The receiver answered with status 400', false) : { kind: 'sent' })
    await queue('mail', fire('a'), fire('b'))
    line(mail).start()
    await clock.advance(5000)
    expect(await states()).toEqual(['dead', 'sent'])
  })

  it('lets another group pass one that is refused again and again', async () => {
    const { clock, queue, line, states } = outbox()
    const mail = inbox('mail', clock)
    const isA = told(fire('a')).id
    mail.answer = ({ id }) => (id === isA ? down() : { kind: 'sent' })
    await queue('mail', fire('a'), fire('b'))
    line(mail).start()
    await clock.advance(5000)
    expect(await states()).toEqual(['waiting', 'sent'])
  })

  it('tells a group by its latest, and says so when nobody heard of its beginning', async () => {
    const { clock, queue, line, states } = outbox()
    const mail = inbox('mail', clock)
    mail.answer = down
    await queue('mail', fire('a'))
    line(mail).start()
    await clock.advance(10 * minutes)
    await queue('mail', resolve('a'))
    mail.answer = () => ({ kind: 'sent' })
    await clock.advance(10 * minutes)
    expect(mail.took.map(({ id }) => id)).toEqual([told(resolve('a')).id])
    expect(mail.took[0]?.message).toMatch(neverTold)
    expect(await states()).toEqual(['collapsed', 'sent'])
  })

  it('gives up after a day; the row stays in sight, the sink counts as failing, and it can be sent again', async () => {
    const { clock, queue, line, vault, states } = outbox()
    const mail = inbox('mail', clock)
    mail.answer = down
    await queue('mail', fire('a'))
    const own = line(mail, { lookEvery: minutes })
    own.start()
    const begun = clock.now()
    await clock.advance(24 * hours - minutes)
    expect(await states()).toEqual(['waiting'])
    await clock.advance(10 * minutes)
    expect(await vault.read('sinkHealth', undefined)).toEqual([{ sink: 'mail', waiting: 0, dead: 1, failingSince: begun }])
    const [dead] = await vault.read('listDeliveries', { state: 'dead', limit: 10 })
    expect(dead).toMatchObject({ state: 'dead', problem: 'The receiver answered with status 503' })
    mail.answer = () => ({ kind: 'sent' })
    await vault.write('redeliver', { id: dead?.id ?? 0, now: clock.now() })
    own.wake()
    await clock.advance(2000)
    expect(await states()).toEqual(['sent'])
    expect(await vault.read('sinkHealth', undefined)).toEqual([])
  })

  it('has failed since the first try, also when a later one of the group is what is given up', async () => {
    const { clock, queue, line, vault, states } = outbox()
    const mail = inbox('mail', clock)
    mail.answer = down
    await queue('mail', fire('a'))
    const begun = clock.now()
    line(mail, { lookEvery: minutes }).start()
    await clock.advance(hours)
    await queue('mail', resolve('a'))
    await clock.advance(24 * hours)
    expect(await states()).toEqual(['collapsed', 'dead'])
    expect((await vault.read('sinkHealth', undefined))[0]?.failingSince).toBe(begun)
  })

  it('does not send a dead one again when what followed it was told', async () => {
    const { clock, queue, line, vault } = outbox()
    const mail = inbox('mail', clock)
    mail.answer = ({ status }) => (status === 'firing' ? notSent('no', false) : { kind: 'sent' })
    await queue('mail', fire('a'))
    const own = line(mail)
    own.start()
    await clock.advance(2000)
    await queue('mail', resolve('a'))
    await clock.advance(5000)
    const [dead] = await vault.read('listDeliveries', { state: 'dead', limit: 10 })
    await expect(vault.write('redeliver', { id: dead?.id ?? 0, now: clock.now() })).rejects.toThrow('is out of date')
    expect((await vault.read('sinkHealth', undefined))[0]).toMatchObject({ dead: 1, failingSince: null })
  })

  it('ends a try after 10 s, and another sink hears nothing of it', async () => {
    const { clock, queue, line } = outbox()
    const [slow, fine] = [inbox('slow', clock), inbox('fine', clock)]
    slow.answer = () => new Promise(() => {})
    await queue('slow', fire('a'))
    await queue('fine', fire('a'))
    line(slow).start()
    line(fine).start()
    await clock.advance(1000)
    expect(fine.took).toHaveLength(1)
    await clock.advance(11_000)
    expect(slow.tries).toEqual([0, 11_000])
  })

  it('goes on when the clock is set back by 40 days', async () => {
    const { clock, queue, line } = outbox()
    const mail = inbox('mail', clock)
    mail.answer = down
    await queue('mail', fire('a'))
    line(mail).start()
    await clock.advance(5 * minutes)
    clock.jump(-40 * 24 * hours)
    mail.answer = () => ({ kind: 'sent' })
    await clock.advance(10_000)
    expect(mail.took).toHaveLength(1)
  })

  it('goes on when the outbox could not be read for a while', async () => {
    const { clock, queue, line, vault } = outbox()
    const mail = inbox('mail', clock)
    const problems: string[] = []
    let works = false
    const flaky = {
      ...vault,
      read: ((name: 'sinkHealth', input: undefined) =>
        works ? vault.read(name, input) : Promise.reject(new Error('disk'))) as typeof vault.read,
    }
    await queue('mail', fire('a'))
    line(mail, { vault: flaky, onProblem: (_, problem) => problems.push(problem) }).start()
    await clock.advance(3000)
    works = true
    await clock.advance(3000)
    expect(mail.took).toHaveLength(1)
    expect(problems[0]).toBe('The outbox cannot be read or written')
  })

  it('sends what was taken once, however long the vault cannot be told so, and others meanwhile', async () => {
    const { clock, queue, line, vault, states } = outbox()
    const mail = inbox('mail', clock)
    let works = false
    let notes = 0
    const write = (name: 'deliverySent', input: never): Promise<unknown> => {
      notes++
      return works ? vault.write(name, input) : Promise.reject(new Error('disk full'))
    }
    await queue('mail', fire('a'))
    line(mail, { vault: { ...vault, write: write as typeof vault.write } }).start()
    await clock.advance(2000)
    await queue('mail', resolve('a'), fire('b'))
    await clock.advance(10 * minutes)
    expect(mail.took.map(({ id }) => id)).toEqual([told(fire('a')).id, told(fire('b')).id])
    expect(notes).toBeLessThan(60)
    works = true
    await clock.advance(minutes)
    expect(mail.took.map(({ id }) => id)).toEqual([fire('a'), fire('b'), resolve('a')].map((news) => told(news).id))
    expect(await states()).toEqual(['sent', 'sent', 'sent'])
  })

  it('waits between tries that failed as usual when the vault cannot be told of them', async () => {
    const { clock, queue, line, vault } = outbox()
    const mail = inbox('mail', clock)
    mail.answer = down
    await queue('mail', fire('a'))
    line(mail, { vault: { ...vault, write: () => Promise.reject(new Error('disk full')) } }).start()
    await clock.advance(10 * minutes)
    expect(mail.tries).toHaveLength(1)
  })

  it('stops when what is under way has ended, and leaves the rest for later', async () => {
    const { clock, queue, line, states } = outbox()
    const mail = inbox('mail', clock)
    const { promise, resolve: answer } = Promise.withResolvers<SendOutcome>()
    mail.answer = () => promise
    await queue('mail', fire('a'), fire('b'))
    const own = line(mail)
    own.start()
    await clock.settle()
    const stopped = own.stop()
    answer({ kind: 'sent' })
    await stopped
    expect(await states()).toEqual(['sent', 'waiting'])
  })
})
