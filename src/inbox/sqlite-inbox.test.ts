import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Message } from '../core/message.ts'
import { virtualClock } from '../platform/virtual-clock.ts'
import { defineMessage } from '../runtime/define-message.ts'
import { createTestBench } from '../testing/testing.ts'
import { type SqliteInbox, sqliteInbox } from './sqlite-inbox.ts'

const Booking = defineMessage<{ cents: number }>('booking')

let db: DatabaseSync
const booked = (): number => Number(db.prepare('SELECT sum(cents) AS total FROM bookings').get()?.['total'] ?? 0)
const message = (id: string, headers: Message['headers'] = []): { message: Message } => ({ message: { id, body: null, headers } })

function within<T>(work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

beforeEach(() => {
  db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE bookings (cents INTEGER)')
})

/** A handler that books, and fails after it did whenever `fails` says so; its message is then delivered again. */
async function bookings(inbox: Pick<SqliteInbox, 'claim'>, fails: (run: number) => boolean): Promise<number> {
  const bench = createTestBench()
  const consumer = bench.consumer()
  let runs = 0
  consumer.channel('booking', { deadLetter: 'dead' }).on(Booking, ({ cents }, ctx) => {
    const run = ++runs
    within(() => {
      if (inbox.claim(ctx) === 'first') db.prepare('INSERT INTO bookings VALUES (?)').run(cents)
    })
    if (fails(run)) throw new Error('The process was killed here, for all that anybody knows')
  })
  await consumer.start()
  await bench.producer.send(Booking, { cents: 500 })
  await bench.waitFor('completed')
  return booked()
}

describe('an inbox in the transaction of the handler', () => {
  it('lets a message that comes again after its work was committed change nothing', async () => {
    expect(await bookings(sqliteInbox(db, { scope: 'billing' }), (run) => run === 1)).toBe(500)
  })

  it('would book twice without it', async () => {
    expect(await bookings({ claim: () => 'first' }, (run) => run === 1)).toBe(1000)
  })

  it('forgets a claim whose transaction was rolled back', () => {
    const inbox = sqliteInbox(db, { scope: 'billing' })
    const fail = (): never => {
      inbox.claim(message('m1'))
      throw new Error('no')
    }
    expect(() => within(fail)).toThrow('no')
    expect(within(() => inbox.claim(message('m1')))).toBe('first')
    expect(within(() => inbox.claim(message('m1')))).toBe('done')
  })

  it('refuses a claim outside a transaction, which would outlive a handler that failed', () => {
    const inbox = sqliteInbox(db, { scope: 'billing' })
    expect(() => inbox.claim(message('m1'))).toThrow(expect.objectContaining({ code: 'no-transaction' }))
  })

  it('processes a message once for each scope, and a letter that is sent back once for each generation, by whichever replay', () => {
    const [billing, mail] = [sqliteInbox(db, { scope: 'billing' }), sqliteInbox(db, { scope: 'mail' })]
    const replayed = (generation: string, replay: string): { message: Message } =>
      message('m1', [
        ['redrive-letter', 'letter-1'],
        ['redrive-generation', generation],
        ['redrive-replay', replay],
      ])
    const claims = [billing, mail, billing].map((inbox) => within(() => inbox.claim(message('m1'))))
    expect(claims).toEqual(['first', 'first', 'done'])
    const sent = [replayed('1', '7'), replayed('1', '7'), replayed('1', '8'), replayed('2', '9')]
    expect(sent.map((each) => within(() => billing.claim(each)))).toEqual(['first', 'done', 'done', 'first'])
  })

  it('refuses a message that has no id', () => {
    const inbox = sqliteInbox(db, { scope: 'billing' })
    const nameless = { message: { body: null, headers: [] } }
    expect(() => within(() => inbox.claim(nameless))).toThrow(expect.objectContaining({ code: 'bad-message' }))
  })

  it('forgets what is older than it keeps', async () => {
    const clock = virtualClock()
    const inbox = sqliteInbox(db, { scope: 'billing', keep: '1d', clock })
    within(() => inbox.claim(message('old')))
    await clock.advance(20 * 3_600_000)
    within(() => inbox.claim(message('young')))
    await clock.advance(5 * 3_600_000)
    expect(inbox.forget()).toBe(1)
    expect(within(() => [inbox.claim(message('old')), inbox.claim(message('young'))])).toEqual(['first', 'done'])
  })
})
