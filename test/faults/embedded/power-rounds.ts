import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { embedded } from '../../../src/transports/embedded/embedded.ts'
import type { Transport } from '../../../src/transports/seam.ts'
import { createDisk, type Disk } from '../power-loss.ts'

export interface PowerRound {
  readonly acknowledged: number
  readonly present: number
  readonly lost: number
  /** Why the store could not be read after the reboot; then all of it counts as lost. */
  readonly refusal?: string
}

type Durability = 'full' | 'normal'

/** Sends until so many were acknowledged, cuts the power at that moment or some milliseconds later, and counts what is there after a reboot. */
export async function powerRounds(rounds: number, durability: Durability, later = 0): Promise<PowerRound[]> {
  const results: PowerRound[] = []
  for (let round = 0; round < rounds; round++) {
    const disk = createDisk(64)
    try {
      results.push(await powerRound(disk, durability, 200 + 37 * round, later))
    } finally {
      disk.remove()
    }
  }
  return results
}

/**
 * Some hundred messages further, SQLite flushes everything by itself, for whoever flushes nothing. On a busy machine the power fails as late as that,
 * so the twin sends no more than is waited for.
 */
const mostOf = (durability: Durability, enough: number): readonly string[] => (durability === 'normal' ? [String(enough)] : [])

async function powerRound(disk: Disk, durability: Durability, enough: number, later: number): Promise<PowerRound> {
  const file = join(disk.folder, 'queue.db')
  const producer = fork(new URL('./producer.ts', import.meta.url), [file, durability, ...mostOf(durability, enough)], {
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  })
  const acknowledged = await acknowledgedBefore(producer, enough)
  await sleep(later)
  disk.cutPower()
  producer.kill('SIGKILL')
  await once(producer, 'exit')
  disk.boot()
  const { present, refusal } = await idsIn(file)
  const lost = acknowledged.filter((id) => !present.has(String(id))).length
  return { acknowledged: acknowledged.length, present: present.size, lost, ...(refusal !== undefined && { refusal }) }
}

function acknowledgedBefore(producer: ChildProcess, enough: number): Promise<readonly number[]> {
  const acknowledged: number[] = []
  return new Promise((resolve, reject) => {
    producer.on('exit', () => reject(new Error(`The producer ended after ${acknowledged.length} messages.`)))
    producer.on('message', (id) => {
      if (acknowledged.push(Number(id)) === enough) resolve([...acknowledged])
    })
  })
}

/** A store that does not open has lost everything, and says so; one that opens is read to its end. */
async function idsIn(file: string): Promise<{ readonly present: Set<string>; readonly refusal?: string }> {
  const transport = embedded({ file })
  try {
    return { present: await browseAll(transport) }
  } catch (error) {
    return { present: new Set(), refusal: error instanceof Error ? error.message : String(error) }
  } finally {
    await transport.close()
  }
}

async function browseAll(transport: Transport): Promise<Set<string>> {
  const ids = new Set<string>()
  let page = await transport.browse({ name: 'work' }, { limit: 1000 })
  for (;;) {
    for (const { message } of page.messages) ids.add(message.id ?? '')
    if (page.next === undefined) return ids
    page = await transport.browse({ name: 'work' }, { limit: 1000, after: page.next })
  }
}
