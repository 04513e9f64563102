import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Answer, Question } from './protocol.ts'

/** One process that answers one question at a time, and is started anew when it did not survive one. */
export interface Lane {
  ask(question: Question): Promise<Answer>
  close(): void
}

const program = fileURLToPath(new URL('lane.program.ts', import.meta.url))

export function lane(root: string, testFiles: readonly string[]): Lane {
  let running: ChildProcess | undefined

  async function started(): Promise<ChildProcess> {
    if (running) return running
    // V8 does not always survive it when code of WebAssembly is freed; see vitest.config.ts.
    const child = fork(program, [root, ...testFiles], { cwd: root, execArgv: ['--no-wasm-code-gc'] })
    if ((await message(child)) !== 'ready') throw new Error(`the tests did not start in ${root}`)
    running = child
    return child
  }

  return {
    ask: async (question) => {
      const child = await started()
      child.send(question)
      const answer = (await message(child)) as Answer | undefined
      if (!answer) throw new Error('the tests ended the process in which they run')
      if (answer.kind === 'endless' && answer.isGone) running = undefined
      return answer
    },
    close: () => void running?.kill('SIGKILL'),
  }
}

/** The next message, or nothing when the process ends before. */
async function message(child: ChildProcess): Promise<unknown> {
  const over = new AbortController()
  const end = (): void => over.abort()
  child.once('exit', end)
  try {
    const [answer] = await once(child, 'message', { signal: over.signal })
    return answer
  } catch {
    return undefined
  } finally {
    child.off('exit', end)
  }
}
