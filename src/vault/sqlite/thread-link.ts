import { RedriveError } from '../../core/errors.ts'
import { createThread, workerBeside } from '../../platform/sqlite/thread.ts'
import { finish, notSent, type Pending, type Result } from '../../platform/sqlite/wire.ts'
import { type Call, packed, type ThreadSettings, unpackedResult } from './protocol.ts'

/** One of the two threads as the vault sees it. */
export interface ThreadLink {
  call(call: Call): Promise<unknown>
  /** Resolves when everything that was asked for before has an answer, and the thread has ended. */
  close(): Promise<void>
}

interface Round {
  readonly calls: Call[]
  readonly waiting: Pending<unknown>[]
}

/** Calls made while the thread is busy leave together when it has answered: the busier the disk, the more share a commit. */
export function createThreadLink(settings: ThreadSettings): ThreadLink {
  let gathering: Round = { calls: [], waiting: [] }
  let flying: Round | undefined
  let idle: (() => void) | undefined
  const thread = createThread<readonly Call[], readonly Result[]>(workerBeside(import.meta.url, 'worker'), settings, {
    reply: (results) =>
      land((pending, call, index) => {
        const result = results[index]
        finish(pending, result && unpackedResult(call, result))
      }),
    died(cause) {
      const [code, verb] = settings.role === 'writer' ? (['unsure', 'writes'] as const) : (['store-failed', 'reads'] as const)
      const error = new RedriveError(code, `The thread that ${verb} the vault ended before it answered.`, { cause })
      land((pending) => pending.reject(error))
    },
  })

  function land(tell: (pending: Pending<unknown>, call: Call, index: number) => void): void {
    const landed = flying
    flying = undefined
    depart()
    for (const [index, call] of (landed?.calls ?? []).entries()) {
      const pending = landed?.waiting[index]
      if (pending) tell(pending, call, index)
    }
  }

  function depart(): void {
    if (flying) return
    const round = gathering
    thread.hold(round.calls.length > 0)
    if (round.calls.length === 0) return void idle?.()
    gathering = { calls: [], waiting: [] }
    flying = round
    try {
      const sent = round.calls.map(packed)
      thread.post(
        sent.map(({ call }) => call),
        sent.flatMap(({ moved }) => moved),
      )
    } catch (cause) {
      land((pending) => pending.reject(notSent(cause)))
    }
  }

  return {
    call: (call) =>
      new Promise((resolve, reject) => {
        gathering.calls.push(call)
        gathering.waiting.push({ resolve, reject })
        depart()
      }),
    async close() {
      await new Promise<void>((resolve) => {
        idle = resolve
        depart()
      })
      await thread.close()
    },
  }
}
