import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { Fragile, Subject } from '../conformance/subject.ts'
import { embedded } from './embedded.ts'

/** The embedded queue for the conformance suite, in a folder of its own that `close` removes. */
export function subject(): Subject {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-conformance-'))
  const doors = mkdtempSync(join(tmpdir(), 'redrive-doors-'))
  let doorsMade = 0
  return {
    name: 'embedded',
    shortHold: 300,
    quiet: 250,
    open: async () => embedded({ file: join(folder, 'queue.db') }),
    openFragile: () => openFragile(folder, join(doors, String(++doorsMade))),
    async close() {
      rmSync(folder, { recursive: true, force: true })
      rmSync(doors, { recursive: true, force: true })
    },
  }
}

/** It reaches the file through a door of its own. To crash is to lose both threads, and the door, in the middle of everything. */
async function openFragile(folder: string, door: string): Promise<Fragile> {
  symlinkSync(folder, door)
  const transport = embedded({ file: join(door, 'queue.db') })
  const workers = await workersStartedBy(async () => {
    await transport.provision({ channels: [] }, 'apply')
    await transport.provision({ channels: [] }, 'check')
  })
  return {
    transport,
    async crash() {
      rmSync(door)
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}

async function workersStartedBy(work: () => Promise<unknown>): Promise<Worker[]> {
  const workers: Worker[] = []
  const remember = (started: unknown) => void workers.push((started as { worker: Worker }).worker)
  subscribe('worker_threads', remember)
  await work()
  unsubscribe('worker_threads', remember)
  return workers
}
