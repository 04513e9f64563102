import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a consumer needs while so many messages wait in its queue: it must not depend on how many those are. */
export interface Backlog {
  readonly queued: number
  /** Of a process of its own that consumes 20,000 of them. */
  readonly peakRssMiB: number
  readonly perSecond: number
}

export async function backlog(queued: number): Promise<Backlog> {
  const folder = mkdtempSync(join(process.env['REDRIVE_BENCH_FOLDER'] ?? tmpdir(), 'redrive-backlog-'))
  try {
    const file = join(folder, 'queue.db')
    await runProgram(file, 'fill', queued)
    const consumed = await runProgram(file, 'consume', queued)
    return { queued, ...consumed }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function runProgram(
  file: string,
  what: 'fill' | 'consume',
  queued: number,
): Promise<{ peakRssMiB: number; perSecond: number }> {
  const child = fork(new URL('./backlog.program.ts', import.meta.url), [file, what, String(queued)])
  const [answer] = await once(child, 'message')
  await once(child, 'exit')
  return answer as { peakRssMiB: number; perSecond: number }
}
