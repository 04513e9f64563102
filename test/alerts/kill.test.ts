import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { Notification } from '../../src/core/alerts/notification.ts'
import { queueDeliveries } from '../../src/vault/operations/deliveries.ts'
import { sqliteSql } from '../../src/vault/sqlite/sqlite-sql.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import { until } from '../until.ts'
import { findings, type News, told } from './outbox.fixture.ts'
import { openStub } from './stub.ts'

/** Four processes start one after the other, which a busy machine is slow at. */
const patience = 300_000

const news: readonly News[] = ['a', 'b'].flatMap((group) => [
  { group, kind: 'fire', episode: 1, sequence: 1 } as const,
  { group, kind: 'resolve', episode: 1, sequence: 2 } as const,
])

/**
 * Real processes bring what waits in a real vault to a real receiver, which kills them with SIGKILL: the first before it answers, the second
 * as soon as it has answered, the third when half of its answer is out. Each has a successor.
 */
async function run(way: 'as it is' | 'forgetful'): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-kill-'))
  const file = join(folder, 'vault.db')
  const made = sqliteVault({ file })
  await made.read('sinkHealth', undefined)
  await made.close()
  const db = new DatabaseSync(file)
  let alive: ChildProcess | undefined
  let kills = 0
  const { promise: done, resolve } = Promise.withResolvers<void>()

  function start(): void {
    const program = fileURLToPath(new URL('./deliver.program.ts', import.meta.url))
    alive = spawn(process.execPath, [program, file, stub.url, way], { stdio: ['ignore', 'ignore', 'inherit'] })
  }

  async function replace(): Promise<void> {
    const ended = alive && once(alive, 'exit')
    alive?.kill('SIGKILL')
    await ended
    start()
  }

  const dying: readonly ((response: ServerResponse) => void)[] = [
    () => void replace(),
    (response) => response.writeHead(200).end(() => void replace()),
    (response) => response.socket?.write('HTTP/1.1 2', () => void replace()),
  ]
  const took = new Map<string, Notification>()
  const stub = await openStub((response, { json }) => {
    const death = dying[kills++]
    // Whoever hears nothing of an answer must not count on it.
    if (death !== dying[0] && death !== dying[2]) took.set(json.id, json)
    if (death) return death(response)
    response.writeHead(200).end()
    if (isOver([...took.values()])) resolve()
  })
  onTestFinished(async () => {
    alive?.kill('SIGKILL')
    await stub.close()
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const each of news)
    await queueDeliveries(sqliteSql(db), [{ sink: 'hook', groupKey: each.group, notification: told(each) }], 0)
  start()
  await (way === 'as it is' ? done : until('nothing waits any more', () => isDrained(db), patience))
  return findings([...took.values()], news)
}

function isOver(took: readonly Notification[]): boolean {
  const ends = news.filter(({ kind }) => kind === 'resolve')
  return ends.every((each) => took.some(({ id }) => id === told(each).id))
}

function isDrained(db: DatabaseSync): boolean {
  return db.prepare(`SELECT 1 FROM deliveries WHERE state = 'waiting'`).get() === undefined
}

it(
  'processes that are killed with SIGKILL at every step of a delivery lose nothing, and never tell an end before its beginning',
  async () => {
    expect(await run('as it is')).toEqual([])
  },
  2 * patience,
)

it(
  'a process that notes a delivery before it is made is seen to lose it',
  async () => {
    expect(await run('forgetful')).not.toEqual([])
  },
  2 * patience,
)
