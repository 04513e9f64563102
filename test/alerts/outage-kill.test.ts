import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Notification } from '../../src/core/alerts/notification.ts'
import type { Delivery } from '../../src/vault/operations/deliveries.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import { deliveryViolations } from '../sim/alerts/alert-checker.ts'
import { beliefsOf } from '../sim/alerts/beliefs.ts'
import type { SimArrival } from '../sim/alerts/sim-receiver.ts'
import { openMailbox } from './mailbox.ts'
import { openStub } from './stub.ts'
import { type Levels, startWatched, type WatchedProcess } from './watched-process.ts'

const empty: Levels = { 'shop a': 0, 'shop b': 0, 'shop c': 0, 'bank d': 0 }

interface Ending {
  readonly deliveries: readonly Delivery[]
  readonly receivers: readonly { readonly name: string; readonly arrivals: readonly SimArrival[] }[]
  /** What each receiver believed to fire when it had been back for a while, and when every queue was empty again. */
  readonly believed: readonly (readonly string[])[]
  readonly kills: number
}

/**
 * Ten virtual minutes without SMTP and without the webhook, while queues fill and are emptied and the process is killed five times: between its steps, in
 * the middle of one, while each receiver refuses it, and when one has taken something and not answered yet.
 */
async function outage(isForgetful: boolean): Promise<Ending> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-outage-'))
  const file = join(folder, 'vault.db')
  const posts: SimArrival[] = []
  let isDown = false
  let killsAt: 'a mail' | 'a post' | 'a post that is taken' | undefined
  let watched: WatchedProcess | undefined

  const strike = (moment: typeof killsAt): boolean => {
    if (killsAt !== moment) return false
    killsAt = undefined
    watched?.kill()
    return true
  }

  const mailbox = await openMailbox({
    onConnect(_, answer) {
      if (!isDown) return answer()
      if (!strike('a mail')) answer(Object.assign(new Error('Not now'), { responseCode: 421 }))
    },
  })
  const stub = await openStub((response, { json }) => {
    if (isDown) return void (strike('a post') || response.writeHead(503).end())
    posts.push({ at: posts.length, notification: json })
    if (!strike('a post that is taken')) response.writeHead(204).end()
  })
  onTestFinished(async () => {
    watched?.kill()
    await Promise.all([mailbox.close(), stub.close()])
    rmSync(folder, { recursive: true, force: true })
  })
  const own = await startWatched({
    ...{ file, mailPort: mailbox.port, hookUrl: stub.url, isForgetful, now: Date.UTC(2030, 0, 1), levels: empty },
  })
  watched = own

  async function minutes(count: number, levels: Levels): Promise<void> {
    for (let minute = 0; minute < count; minute++) await own.minute(levels)
  }

  const deliveries = async (): Promise<readonly Delivery[]> => {
    const vault = sqliteVault({ file })
    const rows = await vault.read('listDeliveries', { limit: 1000 })
    await vault.close()
    return rows.toReversed()
  }

  async function receivers(): Promise<Ending['receivers']> {
    const byName = new Map((await deliveries()).map(({ notification }) => [notification.id, notification]))
    const ids = mailbox.mails.map(({ headers }) => idIn(headers))
    const mails = ids.map((id, at) => ({ at, notification: byName.get(id) ?? ({} as Notification) }))
    return [
      { name: 'mail', arrivals: mails },
      { name: 'hook', arrivals: posts },
    ]
  }

  const beliefs = async (): Promise<readonly (readonly string[])[]> =>
    (await receivers()).map((receiver) => beliefsOf(receiver).firing.toSorted())

  const filled = { ...empty, 'shop a': 3, 'shop b': 1 }
  await minutes(2, filled)
  isDown = true
  await minutes(1, { ...filled, 'bank d': 5 })
  killsAt = 'a post'
  await minutes(2, { ...filled, 'bank d': 5, 'shop c': 2 })
  const inTheMiddle = own.minute({ ...filled, 'shop a': 0, 'shop c': 2 })
  own.kill()
  await inTheMiddle
  killsAt = 'a mail'
  await minutes(6, { ...filled, 'shop a': 0, 'shop c': 2 })
  isDown = false
  killsAt = 'a post that is taken'
  await minutes(16, { ...filled, 'shop a': 0, 'shop c': 2 })
  own.kill()
  const back = await beliefs()
  await minutes(16, empty)
  return {
    deliveries: await deliveries(),
    receivers: await receivers(),
    believed: [...back, ...(await beliefs())],
    kills: own.kills,
  }
}

/** A mailbox knows a mail by it. */
function idIn(headers: readonly string[]): string {
  return /<(.+)@redrive>/.exec(headers.find((header) => /^message-id:/i.test(header)) ?? '')?.[1] ?? ''
}

it('SMTP and webhook down for ten minutes, and a control plane that is killed meanwhile: everything arrives, once by name, and no end before its beginning', async () => {
  const { deliveries, receivers, believed, kills } = await outage(false)
  expect(kills).toBe(5)
  expect(deliveryViolations({ deliveries, receivers })).toEqual([])
  const stillFull = ['dlq.any shop b', 'dlq.any shop c']
  expect(believed).toEqual([stillFull, stillFull, [], []])
}, 900_000)

it('would see a control plane that notes what it told before it has', async () => {
  const { deliveries, receivers } = await outage(true)
  expect(deliveryViolations({ deliveries, receivers })).not.toEqual([])
}, 900_000)
