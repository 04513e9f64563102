import { notificationOf } from '../core/alerts/notification.ts'
import { RedriveError } from '../core/errors.ts'
import type { Clock, NewId, Random } from '../core/ports.ts'
import { attempt } from '../outgoing/attempt.ts'
import type { SendOutcome } from '../outgoing/send-outcome.ts'
import type { SinkHealth } from '../vault/operations/deliveries.ts'
import type { Vault } from '../vault/vault.ts'
import { createDeliveryLine } from './delivery-line.ts'
import type { Sink } from './sink.ts'

/** All ways to tell people, and what waits for each of them. */
export interface Notifiers {
  /** For the alert engine: who is told what. */
  readonly sinks: readonly Sink[]
  list(): Promise<readonly NotifierStatus[]>
  /** Sends a test at once, past the outbox; tells what became of it. */
  test(name: string): Promise<SendOutcome>
  start(): Promise<void>
  /** Something was written into the outbox. */
  wake(): void
  stop(): Promise<void>
}

export interface NotifierStatus extends Omit<SinkHealth, 'sink'> {
  readonly name: string
  readonly kind: string
  readonly target: string
}

export interface NotifiersOptions {
  readonly sinks: readonly Sink[]
  readonly vault: Vault
  readonly clock: Clock
  readonly random: Random
  readonly newId: NewId
  readonly instance: string
  readonly onProblem: (sink: string, problem: string) => void
}

export function createNotifiers(options: NotifiersOptions): Notifiers {
  const { sinks, vault, clock, newId, instance } = options
  const lines = sinks.map((sink) => createDeliveryLine({ ...options, sink }))

  function sinkNamed(name: string): Sink {
    const found = sinks.find((sink) => sink.name === name)
    if (found) return found
    const names = sinks.length === 0 ? 'There are none' : `There are: ${sinks.map((sink) => sink.name).join(', ')}`
    throw new RedriveError('not-found', `There is no notifier ${JSON.stringify(name)}. ${names}.`)
  }

  return {
    sinks,
    async list() {
      const health = new Map((await vault.read('sinkHealth', undefined)).map((each) => [each.sink, each]))
      return sinks.map(({ name, kind, target }) => {
        const { waiting = 0, dead = 0, failingSince = null } = health.get(name) ?? {}
        return { name, kind, target, waiting, dead, failingSince }
      })
    },
    test: async (name) => testSink(sinkNamed(name), { clock, newId, instance }),
    async start() {
      await Promise.all(sinks.map((sink) => sink.prepare?.()))
      for (const line of lines) line.start()
    },
    wake() {
      for (const line of lines) line.wake()
    },
    async stop() {
      await Promise.all(lines.map((line) => line.stop()))
    },
  }
}

const testTimeout = 10_000

export interface TestPorts {
  readonly clock: Clock
  readonly newId: NewId
  readonly instance: string
}

/** Where a receiver keeps what fires, the test ends itself. */
export async function testSink(sink: Sink, { clock, newId, instance }: TestPorts): Promise<SendOutcome> {
  const key = `test ${newId()}`
  await sink.prepare?.()
  const begun = await say('firing', 1)
  return sink.keepsState && begun.kind === 'sent' ? say('resolved', 2) : begun

  function say(status: 'firing' | 'resolved', sequence: number): Promise<SendOutcome> {
    const at = clock.now()
    const message = 'This is a test of the way in which alerts arrive. Nothing is wrong.'
    const about = {
      rule: 'test',
      name: 'A test',
      subject: { source: '' },
      labels: {},
      figures: {},
      errors: [],
      correlationIds: [],
    }
    const notification = notificationOf({
      group: { key, episode: 1, sequence },
      reason: 'test',
      at,
      component: 'Redrive',
      subject: `Test of notifier ${sink.name}`,
      message,
      instance,
      alerts: [
        { ...about, status, severity: 'info', fingerprint: key, episode: 1, message, isFlapping: false, firstAt: at, lastAt: at },
      ],
    })
    return attempt((signal) => sink.send(notification, signal), testTimeout, clock)
  }
}
