import { start } from './child.ts'

export interface Producing {
  /** Resolves when so many are confirmed. */
  confirmed(count: number): Promise<void>
  /** For a producer that holds at some number. */
  goOn(): void
  /** Resolves when all are. */
  readonly ended: Promise<void>
  kill(): void
}

/** Each broker has a producer of its own, told in its own words. */
export function startProducing(program: URL, order: object): Producing {
  const child = start(program, order)
  let isKilled = false
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  let confirmed = 0
  child.process.on('message', (message: { readonly confirmed: number }) => {
    confirmed = message.confirmed
    for (const each of waiting) if (confirmed >= each.count) each.resolve()
  })
  return {
    confirmed: (count) =>
      new Promise((resolve) => {
        if (confirmed >= count) resolve()
        else waiting.push({ count, resolve })
      }),
    goOn: () => void (child.process.connected && child.process.send('go on')),
    ended: child.ended.then(({ code }) => {
      for (const each of waiting) each.resolve()
      if (code !== 0 && !isKilled) throw new Error(`The producer ended with ${code} after ${confirmed} messages.`)
    }),
    kill() {
      isKilled = true
      child.process.kill('SIGKILL')
    },
  }
}
