import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { createConsumer, createProducer, defineMessage, PermanentError } from '../../src/redrive.ts'
import { embedded } from '../../src/transports/embedded/embedded.ts'
import { noteNotRun } from '../brokers/broker-for-tests.ts'
import { createDisk, type Disk, whyPowerStaysOn } from './power-loss.ts'
import type { SpoolOrder } from './spool.program.ts'

const Doomed = defineMessage<number>('doomed')
const total = 200
const ids = Array.from({ length: total }, (_, number) => `m${number}`)

/** Fills a queue with messages that all fail, and lets a process spool some of their letters before `strike` ends it. */
async function crash(order: SpoolOrder, strike: (kill: () => Promise<void>) => Promise<void>): Promise<void> {
  const transport = embedded({ file: order.queue })
  await provision(transport)
  const producer = createProducer({ transport })
  await Promise.all(ids.map((id, number) => producer.send(Doomed, number, { channel: 'work', id })))
  await transport.close()
  const child = fork(new URL('./spool.program.ts', import.meta.url), [JSON.stringify(order)])
  const exited = once(child, 'exit')
  let spooled = 0
  await new Promise<void>((resolve) => {
    child.on('message', () => {
      if (++spooled === total / 4) resolve()
    })
  })
  await strike(async () => {
    child.kill('SIGKILL')
    await exited
  })
}

async function provision(transport: ReturnType<typeof embedded>): Promise<void> {
  const [work, dead] = [{ name: 'work' }, { name: 'dead' }]
  const channels = [
    { address: dead, role: 'dead-letter' },
    { address: work, role: 'work', deadLetterTo: dead },
  ] as const
  await transport.provision({ channels }, 'apply')
}

/** The next process, with a dead-letter channel that works again. Gives the ids of all letters once nothing is left to do. */
async function recover({ queue, spool }: SpoolOrder): Promise<readonly string[]> {
  const transport = embedded({ file: queue })
  const consumer = createConsumer({ transport, service: 'recovering', logger: false })
  consumer.channel('work', { deadLetter: 'dead', hold: '1s', onDeadLetterFailure: { spool } }).on(Doomed, () => {
    throw new PermanentError('this one never works')
  })
  await consumer.start()
  await vi.waitFor(
    async () => {
      expect((await transport.measure({ name: 'work' })).retained).toBe(0)
      expect(consumer.channels()).toMatchObject([{ held: 0, spooled: 0 }])
    },
    { timeout: 120_000, interval: 200 },
  )
  await consumer.stop()
  const { messages } = await transport.browse({ name: 'dead' }, { limit: 10_000 })
  await transport.close()
  return messages.map(({ message }) => message.id ?? '')
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-spool-crash-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function afterPowerLoss(forgetsToSync: boolean): Promise<readonly string[]> {
  let letters: readonly string[] = []
  const disk: Disk = createDisk(64)
  try {
    await withFolder(async (folder) => {
      const order = { queue: join(folder, 'queue.db'), spool: disk.folder, forgetsToSync }
      await crash(order, async (kill) => {
        disk.cutPower()
        await kill()
        disk.boot()
      })
      letters = await recover(order)
    })
  } finally {
    disk.remove()
  }
  return letters
}

describe('a process that spools', { timeout: 300_000 }, () => {
  test('and is killed loses no letter', () =>
    withFolder(async (folder) => {
      const order = { queue: join(folder, 'queue.db'), spool: folder, forgetsToSync: false }
      await crash(order, (kill) => kill())
      const letters = await recover(order)
      expect(new Set(letters)).toEqual(new Set(ids))
      console.log(`killed: ${total} messages, 0 lost, ${letters.length - total} letters twice`)
    }))

  const reason = whyPowerStaysOn()
  if (reason !== undefined)
    test(noteNotRun(`NOT RUN: a power loss of a spool, ${reason}`).notRun, () => expect(process.env['CI']).toBeFalsy())
  else {
    test('and whose power fails loses no letter', async () => {
      const letters = await afterPowerLoss(false)
      expect(new Set(letters)).toEqual(new Set(ids))
      console.log(`power loss: ${total} messages, 0 lost, ${letters.length - total} letters twice`)
    })

    test('and whose power fails is caught when it forgets to sync', async () => {
      const letters = await afterPowerLoss(true)
      expect(new Set(letters).size).toBeLessThan(total)
      console.log(`power loss without sync: ${total - new Set(letters).size} of ${total} lost`)
    })
  }
})
