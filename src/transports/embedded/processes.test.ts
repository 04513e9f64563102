import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { gather, labels, openQueue, temporaryFile, work } from './queue.fixture.ts'

/** A process of its own that sends and consumes on the same file, as `sibling.fixture.ts` says. */
function startSibling(file: string): { ask(command: unknown): Promise<unknown>; kill(): void } {
  const child = fork(new URL('./sibling.fixture.ts', import.meta.url), [file])
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    async ask(command) {
      child.send(command as string)
      const [answer] = await once(child, 'message')
      return answer
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

describe('two processes on one file', () => {
  test('a waiting take wakes when the other one sends', async () => {
    const file = temporaryFile()
    const transport = await openQueue({ file })
    const sibling = startSibling(file)
    const receiver = await transport.receive(work, { prefetch: 1, hold: 60_000 })
    const waiting = receiver.take(1, 100_000)
    await sibling.ask({ send: ['from the other process'] })
    expect(labels(await waiting)).toEqual(['from the other process'])
  })

  test('share the messages: each comes once', async () => {
    const file = temporaryFile()
    const transport = await openQueue({ file })
    const sibling = startSibling(file)
    const names = Array.from({ length: 500 }, (_, n) => String(n))
    await sibling.ask({ send: names })
    const consuming = sibling.ask({ consume: 250 }) as Promise<string[]>
    const receiver = await transport.receive(work, { prefetch: 10, hold: 60_000 })
    const mine = await gather(receiver, 250)
    await receiver.close()
    await Promise.all(mine.map((delivery) => transport.settle(delivery, { kind: 'complete' })))
    expect([...labels(mine), ...(await consuming)].sort()).toEqual([...names].sort())
    expect(await transport.measure(work)).toMatchObject({ retained: 0 })
  })
})

test('an open transport without receivers lets its process end', async () => {
  const child = fork(new URL('./idle.fixture.ts', import.meta.url), [temporaryFile()])
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
})
