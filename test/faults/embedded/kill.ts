import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { embedded } from '../../../src/transports/embedded/embedded.ts'
import type { Transport } from '../../../src/transports/seam.ts'

/** What a run with killed consumers ended in, counted from the handlers' log and from the queue itself. */
export interface Ledger {
  readonly sent: number
  readonly kills: number
  /** Neither handled nor dead-lettered. */
  readonly lost: readonly string[]
  /** In `dead` although it should not be there, or there more than once. */
  readonly wronglyDead: readonly string[]
  /** Handler runs beyond one for each message. */
  readonly repeated: number
}

export interface KillPlan {
  readonly folder: string
  readonly messages: number
  /** The consumer's program; see `consumer.ts` for what it must do. */
  readonly program: URL
  /** Where each consumer is killed: at a point, or so many milliseconds after it was ready. */
  readonly kills: readonly (string | number)[]
  /** Whether one of the messages kills every consumer that handles it. */
  readonly crashing: boolean
}

const work = { name: 'work' }
const dead = { name: 'dead' }

export async function runKillPlan(plan: KillPlan): Promise<Ledger> {
  const file = join(plan.folder, 'queue.db')
  const log = join(plan.folder, 'handled.log')
  const transport = embedded({ file })
  const ids = idsOf(plan)
  await transport.provision(
    {
      channels: [
        { address: work, role: 'work' },
        { address: dead, role: 'dead-letter' },
      ],
    },
    'apply',
  )
  await Promise.all(ids.map((id) => transport.send(work, { id, body: null, headers: [] })))
  let kills = 0
  for (const kill of plan.kills) {
    await killOne(plan.program, [file, log], kill)
    kills++
  }
  kills += await drain(transport, plan.program, [file, log])
  const ledger = await balance(transport, ids, log, kills)
  await transport.close()
  return ledger
}

/** Every tenth message fails for good; one may kill its consumer. */
function idsOf({ messages, crashing }: KillPlan): string[] {
  const ids = Array.from({ length: messages }, (_, n) => (n % 10 === 9 ? `${n}-bad` : String(n)))
  if (crashing) ids[Math.floor(messages / 2)] = 'crash'
  return ids
}

async function killOne(program: URL, args: string[], kill: string | number): Promise<void> {
  const child = start(program, args, typeof kill === 'string' ? kill : undefined)
  const ended = once(child, 'exit')
  const reached = typeof kill === 'string' ? heard(child, kill) : heard(child, 'ready').then(() => elapsed(kill))
  await Promise.race([reached, ended])
  child.kill('SIGKILL')
  await ended
}

/** Lets consumers run, a new one for each that crashed, until nothing is left. Tells how many crashed. */
async function drain(transport: Transport, program: URL, args: string[]): Promise<number> {
  let crashed = 0
  let child = start(program, args)
  let alive = true
  const watch = () =>
    child.once('exit', () => {
      alive = false
    })
  watch()
  while ((await transport.measure(work)).retained > 0) {
    if (!alive) {
      crashed++
      child = start(program, args)
      alive = true
      watch()
    }
    await elapsed(20)
  }
  child.kill('SIGKILL')
  return crashed
}

async function balance(transport: Transport, ids: readonly string[], log: string, kills: number): Promise<Ledger> {
  const handled = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []
  const letters = (await transport.browse(dead, { limit: ids.length * 2 })).messages.map(({ message }) => message.id ?? '')
  const once = new Set(handled)
  const buried = new Set(letters)
  return {
    sent: ids.length,
    kills,
    lost: ids.filter((id) => !once.has(id) && !buried.has(id)),
    wronglyDead: letters.filter((id, index) => letters.indexOf(id) !== index || !(id.endsWith('-bad') || id === 'crash')),
    repeated: handled.length - once.size,
  }
}

function start(program: URL, args: string[], barrier?: string): ChildProcess {
  const env = barrier === undefined ? process.env : { ...process.env, REDRIVE_BARRIER: barrier }
  return fork(program, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

function heard(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (message === word) resolve()
    })
  })
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
