import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Letters by queue, which is written as its connection and its name. */
export type Levels = Readonly<Record<string, number>>

export interface Setting {
  readonly file: string
  readonly mailPort: number
  readonly hookUrl: string
  readonly isForgetful: boolean
  /** Epoch milliseconds of a clock that only we move. */
  readonly now: number
  readonly levels: Levels
}

export interface Minute {
  readonly seconds: number
  readonly levels: Levels
}

/** A control plane in a process of its own that is killed with SIGKILL and has a successor, on virtual time that goes on meanwhile. */
export interface WatchedProcess {
  /** A minute passes. Whoever is killed in it has a successor at its end. */
  minute(levels: Levels): Promise<void>
  kill(): void
  readonly kills: number
}

const program = fileURLToPath(new URL('./watch.program.ts', import.meta.url))

export async function startWatched(setting: Setting): Promise<WatchedProcess> {
  let { now, levels } = setting
  let kills = 0
  let child = await start()

  async function start(): Promise<ChildProcess> {
    const fresh = fork(program, [JSON.stringify({ ...setting, now, levels })], { execArgv: [] })
    if ((await rest(fresh)) === 'gone') throw new Error('The control plane ended by itself.')
    return fresh
  }

  /** Whoever has been killed and is not gone yet would still be told that time passes. */
  async function successorOf(dying: ChildProcess): Promise<ChildProcess> {
    if (dying.exitCode === null && dying.signalCode === null) await once(dying, 'exit')
    return start()
  }

  async function rest(of: ChildProcess): Promise<'rested' | 'gone'> {
    const over = new AbortController()
    const { signal } = over
    try {
      return await Promise.race([
        once(of, 'message', { signal }).then(() => 'rested' as const),
        once(of, 'exit', { signal }).then(() => 'gone' as const),
      ])
    } finally {
      over.abort()
    }
  }

  return {
    async minute(next) {
      now += 60_000
      levels = next
      if (child.killed) child = await successorOf(child)
      child.send({ seconds: 60, levels } satisfies Minute)
      if ((await rest(child)) === 'gone') child = await start()
    },
    kill() {
      kills++
      child.kill('SIGKILL')
    },
    get kills() {
      return kills
    },
  }
}
