import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { arrivalOf } from '../../../src/ops/arrival-of.ts'
import { mostInFlight } from '../../../src/ops/replay/run-replay.ts'
import { embedded } from '../../../src/transports/embedded/embedded.ts'
import { sqliteVault } from '../../../src/vault/sqlite/sqlite-vault.ts'
import type { ReplayPlant } from './plants.ts'
import type { ReplayPoint } from './points.ts'

/** When the control plane dies: at a step, or so many milliseconds after it was ready. */
export type Death = { readonly at: ReplayPoint; readonly passes: number } | { readonly afterMs: number }

export interface ReplayKills {
  readonly letters: number
  readonly deaths: readonly Death[]
  /** Letters a second: so slow that something is left to do for every life. */
  readonly rate?: number
  readonly plant?: ReplayPlant
}

export interface ReplayVerdict {
  readonly letters: number
  /** How often it was really killed: it may be through with everything before. */
  readonly kills: number
  /** The ledger says that they were sent, and they are nowhere. */
  readonly lost: number
  /** Sent twice or more. */
  readonly twice: number
  readonly unknown: number
  /** The most that one death left unknown. */
  readonly mostUnknownAtOnce: number
}

export function isSound({ lost, twice, mostUnknownAtOnce }: ReplayVerdict): boolean {
  return lost === 0 && twice === 0 && mostUnknownAtOnce <= mostInFlight
}

const program = new URL('./control.program.ts', import.meta.url)

/** Replays letters with a control plane that is killed again and again, and asks the queue itself how often each of them arrived. */
export async function replayKills({ letters, deaths, rate = 1_000_000, plant }: ReplayKills): Promise<ReplayVerdict> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-replay-'))
  const [vaultFile, queueFile] = [join(folder, 'vault.db'), join(folder, 'queue.db')]
  try {
    const replay = await prepare(vaultFile, queueFile, letters, rate)
    const start = (point = '', passes = 0): ChildProcess =>
      fork(program, [vaultFile, queueFile, String(replay), point, String(passes), plant ?? ''])
    let [kills, unknown, mostUnknownAtOnce] = [0, 0, 0]
    for (const death of deaths) {
      if (await killOnce('at' in death ? start(death.at, death.passes) : start(), death)) kills++
      const doubtful = countOf(vaultFile, replay, "state IN ('unknown', 'claimed')")
      mostUnknownAtOnce = Math.max(mostUnknownAtOnce, doubtful - unknown)
      unknown = doubtful
    }
    const [code] = await once(start(), 'exit')
    if (code !== 0) throw new Error(`The last control plane ended with ${code}.`)
    const arrived = arrivals(queueFile)
    const sent = lettersOf(vaultFile, replay, "state IN ('sent', 'assumed', 'succeeded')")
    return {
      letters,
      kills,
      lost: sent.filter((body) => !arrived.has(body)).length,
      twice: [...arrived.values()].filter((times) => times > 1).length,
      unknown: countOf(vaultFile, replay, "state = 'unknown'"),
      mostUnknownAtOnce,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Tells whether it was still alive. */
async function killOnce(child: ChildProcess, death: Death): Promise<boolean> {
  const ended = once(child, 'exit')
  const word = 'at' in death ? death.at : 'ready'
  await Promise.race([heard(child, word), ended])
  // The moment of death is the fault that is injected here, and not a wait for anything.
  if ('afterMs' in death) await Promise.race([new Promise((resolve) => setTimeout(resolve, death.afterMs)), ended])
  const killed = child.exitCode === null && child.kill('SIGKILL')
  await ended
  return killed
}

function heard(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (message === word) resolve()
    })
  })
}

const batch = 500

async function prepare(vaultFile: string, queueFile: string, letters: number, rate: number): Promise<number> {
  const transport = embedded({ file: queueFile })
  await transport.provision({ channels: [{ address: { name: 'orders' }, role: 'work' }] }, 'apply')
  await transport.close()
  const vault = sqliteVault({ file: vaultFile })
  const now = Date.now()
  const { id: source } = await vault.write('registerSource', { connection: 'shop', channel: 'dlq.orders', part: '' })
  const ids: number[] = []
  for (let start = 0; start < letters; start += batch) {
    const numbers = Array.from({ length: Math.min(batch, letters - start) }, (_, index) => start + index)
    const arrivals = numbers.map((n) => arrivalOf(found(n), now, randomBytes(8)))
    ids.push(...(await vault.write('ingest', { source, now, arrivals })).letters.map(({ id }) => id))
  }
  const plan = { rate, canary: null, observe: 3_600_000 }
  const destination = { connection: 'shop', channel: 'orders' }
  const planned = ids.map((letter) => ({ letter, destination }))
  const { id } = await vault.write('sealReplay', { name: 'under fire', actor: 'test', now, plan, letters: planned })
  await vault.write('startReplay', { replay: id, now })
  await vault.close()
  return id
}

function found(n: number): Parameters<typeof arrivalOf>[0] {
  const message = { body: Buffer.from(String(n)), headers: [], id: `m-${n}` }
  return { message, channel: 'dlq.orders', position: `dlq.orders/${n}`, deliveredBefore: false, broker: 'completing' }
}

/** How often each body lies in the queue, read by a client that is not ours. */
function arrivals(queueFile: string): ReadonlyMap<string, number> {
  const db = new DatabaseSync(queueFile, { readOnly: true })
  const rows = db.prepare('SELECT CAST(body AS TEXT) AS body FROM contents').all() as { body: string }[]
  db.close()
  const times = new Map<string, number>()
  for (const { body } of rows) times.set(body, (times.get(body) ?? 0) + 1)
  return times
}

function lettersOf(vaultFile: string, replay: number, where: string): readonly string[] {
  const db = new DatabaseSync(vaultFile, { readOnly: true })
  const rows = db
    .prepare(
      `SELECT CAST(body AS TEXT) AS body FROM replay_letters JOIN contents ON contents.letter = replay_letters.letter
       WHERE replay = ? AND ${where}`,
    )
    .all(replay) as { body: string }[]
  db.close()
  return rows.map(({ body }) => body)
}

function countOf(vaultFile: string, replay: number, where: string): number {
  return lettersOf(vaultFile, replay, where).length
}
