import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testingWorld } from '../../test/testing-world.ts'
import type { LoopWatchOptions } from '../core/ports.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redrive-watchdog-'))
})
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

interface Told {
  readonly name: string
  readonly messageId?: string
  readonly reason?: string
  readonly blockedMs?: number
  readonly correlationId?: string
}

interface Watched {
  readonly child: ChildProcess
  readonly told: Told[]
  /** Resolves with the first line that says this of the message that blocks; a slow start may be told as well. */
  line(text: string): Promise<Readonly<Record<string, unknown>>>
  heard(wanted: (told: Told) => boolean): Promise<Told>
}

function start(onBlocked: 'warn' | 'exit', send: boolean): Watched {
  const order = {
    queue: join(folder, 'queue.db'),
    until: join(folder, 'free'),
    send,
    // Long enough that a busy machine alone does not look like it.
    watchdog: { blockedAfter: '4s', onBlocked },
  }
  const program = new URL('./watchdog.fixture.ts', import.meta.url)
  const child = fork(program, [JSON.stringify(order)], { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
  children.push(child)
  const told: Told[] = []
  let written = ''
  child.on('message', (message) => told.push(message as Told))
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk
  })
  return {
    child,
    told,
    async line(text) {
      for (;;) {
        const found = written
          .split('\n')
          .slice(0, -1)
          .find((line) => line.includes(text) && line.includes('"blocker"'))
        if (found) return JSON.parse(found) as Readonly<Record<string, unknown>>
        if (child.stderr) await once(child.stderr, 'data')
      }
    },
    async heard(wanted) {
      for (;;) {
        const found = told.find(wanted)
        if (found) return found
        await once(child, 'message')
      }
    },
  }
}

describe('the watchdog', { timeout: 300_000 }, () => {
  it('says from its own thread which handler blocks the loop, and tells the consumer once it is free', async () => {
    const { child, line, heard } = start('warn', true)
    const blocked = await line('The event loop is blocked')
    expect(blocked).toMatchObject({ level: 50, service: 'watched', channel: 'work', messageId: 'blocker', correlationId: 'c-1' })
    expect(blocked).toMatchObject({ running: 1, answer: 'warn' })
    expect(Number(blocked['blockedMs'])).toBeGreaterThanOrEqual(4000)
    expect(JSON.stringify(blocked)).not.toContain('blocks')
    writeFileSync(join(folder, 'free'), '')
    expect(await heard(({ name, messageId }) => name === 'blocked' && messageId === 'blocker')).toMatchObject({
      messageId: 'blocker',
      correlationId: 'c-1',
      channel: 'work',
    })
    expect(await line('The event loop was blocked')).toMatchObject({ messageId: 'blocker' })
    const exited = once(child, 'exit')
    child.send('stop')
    expect(await exited).toEqual([0, null])
  })

  it('ends the process if told to: others get its messages, and the one that blocks is dead-lettered in the end', async () => {
    const told: Told[] = []
    let killed = 0
    for (let run = 0; ; run++) {
      const watched = start('exit', run === 0)
      const exited = once(watched.child, 'exit')
      const buried = watched.heard(({ name, messageId }) => name === 'dead-lettered' && messageId === 'blocker')
      const ended = await Promise.race([exited.then(([, signal]) => String(signal)), buried.then(() => 'buried' as const)])
      told.push(...watched.told)
      if (ended === 'buried') {
        const neighbour = [...told, ...watched.told].some(
          ({ name, messageId }) => name === 'completed' && messageId === 'neighbour',
        )
        if (!neighbour) await watched.heard(({ name, messageId }) => name === 'completed' && messageId === 'neighbour')
        watched.child.send('stop')
        await exited
        break
      }
      expect(ended).toBe('SIGKILL')
      killed++
    }
    expect(killed).toBeGreaterThanOrEqual(3)
    expect(told.filter(({ name }) => name === 'dead-lettered')).toMatchObject([{ messageId: 'blocker', reason: 'PoisonMessage' }])
  })
})

describe('a consumer with a watchdog', () => {
  it('tells its watch of every handler that begins and ends, and stops it', async () => {
    const world = testingWorld()
    const seen: unknown[] = []
    let given: LoopWatchOptions | undefined
    const watchLoop = (options: LoopWatchOptions) => {
      given = options
      const tell = (what: string) => (handler?: object) => void seen.push(handler ? [what, handler] : [what])
      return { began: tell('began'), ended: tell('ended'), stop: tell('stop') }
    }
    const own = { watchdog: { onBlocked: 'exit' }, platform: { ...world.platform, watchLoop } } as const
    const consumer = await world.consume(() => {}, {}, own)
    await world.put(1, { id: 'm-1', correlationId: 'c-1' })
    given?.freed(12_345, { channel: 'work', messageId: 'm-1', correlationId: 'c-1' })
    await consumer.stop()
    expect(given).toMatchObject({
      blockedAfter: 10_000,
      onBlocked: 'exit',
      lineFields: { service: 'tests', msg: 'The event loop is blocked' },
    })
    expect(seen).toEqual([['began', { channel: 'work', messageId: 'm-1', correlationId: 'c-1' }], ['ended'], ['stop']])
    expect(world.of('blocked')).toEqual([{ blockedMs: 12_345, channel: 'work', messageId: 'm-1', correlationId: 'c-1' }])
  })

  it('starts none where nobody asked, and none on a clock of its own', async () => {
    const world = testingWorld()
    const watchLoop = () => expect.unreachable()
    await world.consume(() => {}, {}, { platform: { ...world.platform, watchLoop } })
    await world.consume(() => {}, {}, { watchdog: {} })
  })
})
