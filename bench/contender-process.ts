import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Sample } from './measure.ts'

/** What the parent asks of a contender's process, one at a time. */
export type Request = { readonly kind: 'prepare'; readonly messages: number } | { readonly kind: 'run' }

/**
 * A contender in a process of its own: heap, compiled code and garbage of one contender cannot slow down another. It sits idle
 * between its runs, so that runs of several contenders can take turns.
 */
export interface ContenderProcess {
  readonly name: string
  /** Opens and fills; nothing of it is measured. */
  prepare(messages: number): Promise<void>
  /** Does what was prepared, measures it and cleans up. */
  run(): Promise<Sample>
  stop(): Promise<void>
}

export class ContenderDied extends Error {}

const program = new URL('./contender.program.ts', import.meta.url)

export function startContender(suite: string, scenario: string, name: string): ContenderProcess {
  const child = fork(program, [suite, scenario, name], { execArgv: ['--expose-gc'] })
  const ended = once(child, 'exit')
  const died = ended.then(([code]) => Promise.reject(new ContenderDied(`The process of ${name} ended with ${code}.`)))
  died.catch(() => {})

  async function ask(request: Request): Promise<unknown> {
    child.send(request)
    const [answer] = await Promise.race([once(child, 'message'), died])
    return answer
  }

  return {
    name,
    async prepare(messages) {
      await ask({ kind: 'prepare', messages })
    },
    run: async () => (await ask({ kind: 'run' })) as Sample,
    async stop() {
      child.disconnect()
      await ended
    },
  }
}
