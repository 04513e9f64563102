import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One of our programs in a process of its own. */
export interface Child {
  readonly process: ChildProcess
  readonly ended: Promise<Ending>
}

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

const running = new Set<ChildProcess>()
/** A run starts a hundred processes of the same two programs; most of what that costs is to compile them. */
const compiled = mkdtempSync(join(tmpdir(), 'redrive-compiled-'))
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(compiled, { recursive: true, force: true })
})

export function start(program: URL, order: unknown): Child {
  // What peers print when they crash would be taken for ours.
  const errors = program.pathname.includes('/peers/') ? 'ignore' : 'inherit'
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled }
  const child = fork(program, [JSON.stringify(order)], { stdio: ['ignore', 'ignore', errors, 'ipc'], env })
  running.add(child)
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return { code, signal }
  })
  return { process: child, ended }
}
