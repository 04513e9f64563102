import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Estimate, estimate } from './statistics.ts'

/** What consuming 10,000 messages takes, each time in a new process. It must not depend on how many more wait behind them. */
export interface Backlog {
  readonly queued: number
  readonly peakRssMiB: Estimate
  readonly perSecond: Estimate
}

export interface Backlogs {
  readonly small: Backlog
  readonly large: Backlog
}

const consumed = 10_000

interface Taken {
  readonly peakRssMiB: number
  readonly perSecond: number
}

/** The large queue is filled once and is hardly smaller after all rounds; the small one is filled for each. */
export async function backlogs(queued: number, rounds: number): Promise<Backlogs> {
  const folder = mkdtempSync(join(process.env['REDRIVE_BENCH_FOLDER'] ?? tmpdir(), 'redrive-backlog-'))
  const small: Taken[] = []
  const large: Taken[] = []
  try {
    await runProgram(join(folder, 'large.db'), 'fill', queued + rounds * consumed)
    for (let round = 0; round < rounds; round++) {
      const file = join(folder, `small-${round}.db`)
      await runProgram(file, 'fill', consumed)
      small.push(await runProgram(file, 'consume', consumed))
      large.push(await runProgram(join(folder, 'large.db'), 'consume', consumed))
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return { small: summed(consumed, small), large: summed(queued, large) }
}

function summed(queued: number, taken: readonly Taken[]): Backlog {
  return {
    queued,
    peakRssMiB: estimate(taken.map(({ peakRssMiB }) => peakRssMiB)),
    perSecond: estimate(taken.map(({ perSecond }) => perSecond)),
  }
}

async function runProgram(file: string, what: 'fill' | 'consume', messages: number): Promise<Taken> {
  const child = fork(new URL('./backlog.program.ts', import.meta.url), [file, what, String(messages)])
  const [answer] = await once(child, 'message')
  await once(child, 'exit')
  return answer as Taken
}
