import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Message } from '../../core/message.ts'
import type { Clock } from '../../core/ports.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Delivery, Receiver, Transport } from '../seam.ts'
import type { WantedChannel } from '../topology.ts'
import { type EmbeddedOptions, embedded } from './embedded.ts'

export const work = { name: 'work' }
export const dead = { name: 'dead' }

/** A real clock whose wall time a test can move: a lease of an hour ends when the test says so. */
export interface MovableClock extends Clock {
  move(ms: number): void
}

export function movableClock(): MovableClock {
  let offset = 0
  return {
    ...systemClock,
    now: () => systemClock.now() + offset,
    move(ms) {
      offset += ms
    },
  }
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function temporaryFile(): string {
  return join(temporaryFolder(), 'queue.db')
}

/** A transport that closes when its test ends. */
export function open(options: Partial<EmbeddedOptions> = {}): Transport {
  const transport = embedded({ file: options.file ?? temporaryFile(), ...options })
  onTestFinished(() => transport.close())
  return transport
}

export async function openQueue(
  options: Partial<EmbeddedOptions> = {},
  channel: Partial<WantedChannel> = {},
): Promise<Transport> {
  const transport = open(options)
  const channels: WantedChannel[] = [
    { address: work, role: 'work', deadLetterTo: dead, ...channel },
    { address: dead, role: 'dead-letter' },
  ]
  await transport.provision({ channels }, 'apply')
  return transport
}

export function message(label: string, more: Partial<Message> = {}): Message {
  return { id: label, body: new TextEncoder().encode(label), headers: [], ...more }
}

export async function sendAll(transport: Transport, ...labels: readonly string[]): Promise<void> {
  await Promise.all(labels.map((label) => transport.send(work, message(label))))
}

/** Takes until so many came. */
export async function gather(receiver: Receiver, count: number): Promise<Delivery[]> {
  const gathered: Delivery[] = []
  while (gathered.length < count) {
    const batch = await receiver.take(count - gathered.length, 100_000)
    if (batch.length === 0) throw new Error(`Only ${gathered.length} of ${count} deliveries came.`)
    gathered.push(...batch)
  }
  return gathered
}

export function labels(deliveries: readonly { readonly message: Message }[]): string[] {
  return deliveries.map((delivery) => delivery.message.id ?? '')
}
