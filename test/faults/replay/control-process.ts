import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { ControlNews, ControlOrder } from './control.program.ts'

/** A control plane in a process of its own, which can be killed. */
export interface ControlProcess {
  /** Resolves when it says this word, or has ended. */
  heard(word: string): Promise<void>
  /** Resolves when it says that so many letters were sent, or has ended. */
  sent(letters: number): Promise<void>
  /** Away from the point at which it stands still. */
  goOn(): void
  /** SIGKILL. Tells whether it was still alive. */
  kill(): Promise<boolean>
  /** Resolves with its exit code when it ends by itself. */
  readonly ended: Promise<number | null>
}

const program = new URL('./control.program.ts', import.meta.url)

export function startControl(order: ControlOrder): ControlProcess {
  const child: ChildProcess = fork(program, [JSON.stringify(order)])
  const ended = once(child, 'exit').then(([code]) => code as number | null)

  function until(isIt: (message: unknown) => boolean): Promise<void> {
    const heard = new Promise<void>((resolve) => {
      child.on('message', (message) => {
        if (isIt(message)) resolve()
      })
    })
    return Promise.race([heard, ended.then(() => {})])
  }

  return {
    ended,
    heard: (word) => until((message) => message === word),
    sent: (letters) => until((message) => ((message as Partial<ControlNews>).sent ?? -1) >= letters),
    goOn: () => void child.send('go on'),
    async kill() {
      const killed = child.exitCode === null && child.kill('SIGKILL')
      await ended
      return killed
    },
  }
}
