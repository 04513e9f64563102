import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { arrivalOf } from '../../../src/ops/arrival-of.ts'
import { sealInSteps, takeInSteps } from '../../../src/ops/replay/in-steps.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { stepSize } from '../../../src/vault/operations/seal-replay.ts'
import { sqliteVault } from '../../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../../src/vault/vault.ts'

const batch = 500
const destination = { connection: 'shop', channel: 'orders' }

/** Fills a vault with numbered letters and starts a replay of all of them; tells its number. */
export async function prepareReplay(vaultFile: string, letters: number, rate: number): Promise<number> {
  return withVault(vaultFile, async (vault) => {
    const now = Date.now()
    const { id: source } = await vault.write('registerSource', { connection: 'shop', channel: 'dlq.orders', part: '', group: '' })
    const ids: number[] = []
    for (let start = 0; start < letters; start += batch) {
      const numbers = Array.from({ length: Math.min(batch, letters - start) }, (_, index) => start + index)
      const arrivals = numbers.map((n) => arrivalOf(found(n), now, randomBytes(8)))
      ids.push(...(await vault.write('ingest', { source, now, arrivals })).letters.map(({ id }) => id))
    }
    return startReplay(vault, ids, rate)
  })
}

/** A person has seen which letters are unknown, and sends those again. Tells the new replay, where there is anything to send. */
export async function sendUnknownAgain(vaultFile: string, replay: number): Promise<number | undefined> {
  const letters = linesIn(vaultFile, replay, "state = 'unknown'").map(({ letter }) => letter)
  if (letters.length === 0) return undefined
  return withVault(vaultFile, async (vault) => {
    await vault.write('decideUnknown', { letters, verdict: 'open', now: Date.now() })
    return startReplay(vault, letters, 1_000_000)
  })
}

async function startReplay(vault: Vault, ids: readonly number[], rate: number): Promise<number> {
  const steps = { vault, clock: systemClock }
  const plan = { rate, canary: null, observe: 3_600_000 }
  const letters = ids.map((letter) => ({ letter, destination }))
  const inPlan = Array.from({ length: Math.ceil(ids.length / stepSize) }, (_, step) =>
    letters.slice(step * stepSize, (step + 1) * stepSize),
  )
  const replay = await sealInSteps(steps, { name: 'under fire', actor: 'test', plan }, inPlan)
  await vault.write('beginStart', { replay, now: Date.now() })
  await takeInSteps(steps, replay)
  return replay
}

async function withVault<T>(file: string, work: (vault: Vault) => Promise<T>): Promise<T> {
  const vault = sqliteVault({ file })
  try {
    return await work(vault)
  } finally {
    await vault.close()
  }
}

function found(n: number): Parameters<typeof arrivalOf>[0] {
  const message = { body: Buffer.from(String(n)), headers: [], id: `m-${n}` }
  return { message, channel: 'dlq.orders', position: `dlq.orders/${n}`, deliveredBefore: false, broker: 'completing' }
}

export interface LedgerRow {
  readonly letter: number
  readonly body: string
}

/** A vault whose writer was killed is mended by whoever opens it next, and nobody else reads meanwhile. Milliseconds. */
const patience = 120_000

/** Lines of a ledger as they stand in the file, read without the vault. */
export function linesIn(vaultFile: string, replay: number, where: string): readonly LedgerRow[] {
  const db = new DatabaseSync(vaultFile, { readOnly: true, timeout: patience })
  try {
    return db
      .prepare(
        `SELECT replay_letters.letter, CAST(body AS TEXT) AS body
         FROM replay_letters JOIN contents ON contents.letter = replay_letters.letter WHERE replay = ? AND ${where}`,
      )
      .all(replay) as unknown as LedgerRow[]
  } finally {
    db.close()
  }
}
