import { type Library, type LoadLibrary, libraryContender, type Task } from './library.ts'
import type { Contender, Figures } from './measure.ts'

/** The same contender, which also tells how much memory it has after a tenth of its messages and behind the last one. */
export function watchingMemory(name: string, load: LoadLibrary | undefined, task: (messages: number) => Task): Contender {
  let seen: Figures = {}
  const watched: LoadLibrary | undefined = load && (async () => ({ library: watching((await load()).library, tell) }))
  const contender = libraryContender(name, watched, task)

  function tell(when: string): void {
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    seen = { ...seen, [`heap MiB ${when}`]: heapUsed / mebibyte, [`resident MiB ${when}`]: rss / mebibyte }
  }

  return {
    name,
    async prepare(messages) {
      const run = await contender.prepare(messages)
      return { ...run, figures: () => ({ ...run.figures?.(), ...seen }) }
    },
  }
}

const mebibyte = 1024 * 1024

function watching(library: Library, tell: (when: string) => void): Library {
  return {
    ...library,
    consume(task, progress) {
      let handled = 0
      return library.consume(task, {
        began: progress.began,
        handled() {
          progress.handled()
          handled++
          if (handled === Math.ceil(task.messages / 10)) tell('after a tenth')
          if (handled === task.messages) tell('at the end')
        },
      })
    },
  }
}
