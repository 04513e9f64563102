import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { createConsumer, createProducer, defineMessage, PermanentError } from '../src/redrive.ts'
import type { Transport } from '../src/transports/seam.ts'

/**
 * A real broker under load, whose dead-letter channel fails: all healthy messages must be processed while it is down, and all others
 * must be letters once it is back. What is there is told by somebody who knows nothing of ours.
 */
export interface GraveDown {
  readonly consume: Transport
  /** Another connection, with rights of its own: what is sent while the grave is down must not depend on it. */
  readonly produce: Transport
  readonly answer: 'hold' | 'spool'
  /** Makes the dead-letter channel fail; the result repairs it. */
  readonly breakGrave: () => Promise<() => Promise<void>>
  /** The ids of what is in a channel, by an independent observer. */
  readonly observe: (channel: string) => Promise<readonly string[]>
}

export const graveDownChannels = { work: 'work', dead: 'dead' } as const
const Load = defineMessage<{ number: number }>('load')
const total = 400
const isBad = (number: number): boolean => number % 10 === 3
const patience = { timeout: 120_000, interval: 200 }

export async function graveDownUnderLoad({ consume, produce, answer, breakGrave, observe }: GraveDown): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-spool-'))
  const { work, dead } = graveDownChannels
  const consumer = createConsumer({ transport: consume, service: 'load', logger: false })
  const processed = new Set<number>()
  const onDeadLetterFailure = answer === 'hold' ? answer : { spool: folder }
  consumer.channel(work, { deadLetter: dead, onDeadLetterFailure }).on(Load, ({ number }) => {
    if (isBad(number)) throw new PermanentError('this one never works')
    processed.add(number)
  })
  await consumer.start()
  const repair = await breakGrave()
  const producer = createProducer({ transport: produce })
  const numbers = Array.from({ length: total }, (_, number) => number)
  for (const number of numbers) await producer.send(Load, { number }, { channel: work, id: `m${number}` })
  await vi.waitFor(() => expect(processed.size).toBe(numbers.filter((number) => !isBad(number)).length), patience)
  const waiting = await vi.waitFor(() => {
    const [{ held, spooled } = { held: 0, spooled: 0 }] = consumer.channels()
    expect(answer === 'hold' ? held : spooled).toBeGreaterThan(0)
    return { held, spooled }
  }, patience)
  await repair()
  const wanted = numbers.filter(isBad).map((number) => `m${number}`)
  await vi.waitFor(async () => expect(new Set(await observe(dead))).toEqual(new Set(wanted)), patience)
  await consumer.stop()
  expect([await observe(work), spoolFiles(folder)]).toEqual([[], []])
  rmSync(folder, { recursive: true, force: true })
  const copies = (await observe(dead)).length - wanted.length
  return `${total} messages, ${waiting.held} held and ${waiting.spooled} spooled while it was down, 0 lost, ${copies} letters twice`
}

function spoolFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.letters'))
}
