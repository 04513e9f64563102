import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'

/** One program to run: everything that spawn needs, and where its output goes. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  readonly log: string
}

/** A program that we started, with everything that it started itself. */
export interface RunningProcess {
  readonly pid: number
  /** Resolves when it is gone, however that came about. */
  readonly ended: Promise<Ending>
  signal(name: NodeJS.Signals): void
  /** SIGKILL, which a frozen process obeys too; resolves when it is gone, and its children with what they had open and mapped. */
  kill(): Promise<void>
}

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * Nothing that is started here outlives us. An exit that we notice kills the groups at once; a `kill -9` of ourselves is
 * noticed by the keeper, which waits for the end of a pipe that only we hold open.
 */
export async function run(command: Command): Promise<RunningProcess> {
  const child = spawnGated(command)
  const pid = pidOf(child)
  const keeper = spawnKeeper(pid)
  await Promise.all([once(child, 'spawn'), once(keeper, 'spawn')])
  openGate(child)
  const killGroup = (): void => void signalAll(pid, 'SIGKILL')
  process.once('exit', killGroup)
  const ended = once(child, 'exit').then(([code, signal]: Ending[keyof Ending][]): Ending => {
    process.removeListener('exit', killGroup)
    killGroup()
    keeper.kill('SIGKILL')
    return { code: code as number | null, signal: signal as NodeJS.Signals | null }
  })
  return {
    pid,
    ended,
    signal: (name) => signalAll(pid, name),
    async kill() {
      const children = signalAll(pid, 'SIGKILL')
      await ended
      await untilGone(children)
    },
  }
}

/** Lets 'exit' listeners run when a person or a supervisor stops us by a signal. */
export function exitOnSignals(): void {
  for (const [name, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.once(name, () => process.exit(code))
}

/** Runs a program to its end and shows what it prints; rejects when it fails. */
export async function runToEnd(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 2, 2], env: { ...process.env, ...env } })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with code ${code}`)
}

/** The program starts only when the gate is opened. Should we die before that, the gate closes for good and the shell ends. */
function spawnGated({ program, args, env, folder, log }: Command): ChildProcess {
  const output = openSync(log, 'a')
  const gate = 'read -r _ <&3 && exec "$0" "$@" 3<&-'
  try {
    const stdio = ['ignore', output, output, 'pipe'] as const
    return spawn('/bin/sh', ['-c', gate, program, ...args], { env: { ...env }, cwd: folder, stdio: [...stdio], detached: true })
  } finally {
    closeSync(output)
  }
}

function openGate(child: ChildProcess): void {
  const gate = child.stdio[3]
  if (gate instanceof Writable) gate.end('open\n')
}

function spawnKeeper(group: number): ChildProcess {
  const wait = 'read -r _; kill -s KILL -- -"$0"'
  const keeper = spawn('/bin/sh', ['-c', wait, String(group)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  keeper.unref()
  return keeper
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('The shell that every broker is started by could not be started.')
  return child.pid
}

/** To all of it, also to children that left the group: PostgreSQL gives each connection a session of its own. Tells which they were. */
function signalAll(group: number, name: NodeJS.Signals): readonly number[] {
  // A parent that stands still can start no child that would be missed; one that it was just starting is found the second time.
  if (name !== 'SIGCONT') signalGroup(group, 'SIGSTOP')
  const children = [...childrenOf(group), ...childrenOf(group)]
  for (const child of children) signalGroup(child, name)
  signalGroup(group, name)
  if (name === 'SIGSTOP') for (const pid of [group, ...children]) untilStill(pid)
  return children
}

/** A signal is only on its way when it was sent: until every thread stands still, a broker may answer what it was asked after that. */
function untilStill(pid: number): void {
  const patience = 10_000
  const latest = performance.now() + patience
  while (!threadsOf(pid).every((thread) => /[tTZXD]/.test(stateIn(`/proc/${pid}/task/${thread}/stat`)))) {
    if (performance.now() > latest) throw new Error(`Process ${pid} did not stand still within ${patience} ms.`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
  }
}

/** Memory that a child of PostgreSQL still shares keeps it from starting again. One that nobody has waited for yet has given everything back. */
async function untilGone(pids: readonly number[]): Promise<void> {
  const patience = 60_000
  const latest = performance.now() + patience
  for (const pid of pids)
    while (!/[ZX]/.test(stateIn(`/proc/${pid}/stat`))) {
      if (performance.now() > latest) throw new Error(`Process ${pid} was killed and did not end within ${patience} ms.`)
      await setTimeout(1)
    }
}

/** Where the system does not tell, there are none to wait for. */
function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Stopped, dead, or waiting for a disk, after which it stops, as a letter behind its name, which may hold anything. What is not there is dead. */
function stateIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
      .replace(/^.*\) /s, '')
      .slice(0, 1)
  } catch {
    return 'X'
  }
}

/** Where the system does not tell, there are none that left. */
function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
