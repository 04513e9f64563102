import { type Consumer, createConsumer, createProducer } from '../../src/redrive.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { runApi } from './api.ts'
import { createDlqMonitor, type DlqMonitor } from './dlq-monitor.ts'
import { channels, type Payment } from './messages.ts'
import type { Options } from './options.ts'
import { type Screen, summary } from './screen.ts'
import { declareSettlementWorker } from './settlement-worker.ts'
import { createTally, finished, type Tally, tallySettlements } from './tally.ts'
import { declareTransactionWorker } from './transaction-worker.ts'

type Wishes = 'count' | 'seed' | 'mended' | 'once' | 'role' | 'deadLettering' | 'webhook' | 'controlPlane'

export interface PaymentsOptions extends Pick<Options, Wishes> {
  readonly transport: Transport
  readonly screen: Screen
  readonly run: string
  /** Aborts when a person wants an end. */
  readonly signal: AbortSignal
}

/** Runs the parts that the role asks for until the end: when told to stop, or with `once` when every payment is done with. */
export async function runPayments(options: PaymentsOptions): Promise<void> {
  const { screen, role, once, count } = options
  const tally = createTally()
  const done = new AbortController()
  const signal = AbortSignal.any([options.signal, done.signal])
  const finish = (): void => {
    if (once && finished(tally) >= count) done.abort()
  }
  const plays = (part: typeof role): boolean => role === 'all' || role === part

  const consumer = plays('workers') ? await startWorkers(options, tally, finish) : undefined
  const monitor = plays('monitor') ? monitorOf(options, tally, signal, consumer) : undefined
  const ticker = setInterval(() => screen.status(tally), 1000)
  await Promise.all([
    plays('api') && runApi({ ...options, signal, every: once ? 0 : 200, created }).then(alone),
    monitor?.run(),
    until(signal),
  ])
  clearInterval(ticker)

  await consumer?.stop()
  await monitor?.finish()
  screen.end()
  screen.log('stop', once ? 'every payment is settled or dead' : 'stopped')
  console.log(summary(tally))

  function created({ id }: Payment): void {
    tally.created++
    // Beside the workers' own lines this one would only be noise.
    if (role === 'api') screen.log('created', id)
  }

  /** An API that runs by itself has nothing left to do. */
  function alone(): void {
    if (role === 'api') done.abort()
  }
}

async function startWorkers(options: PaymentsOptions, tally: Tally, changed: () => void): Promise<Consumer> {
  const { transport, screen, seed, mended, deadLettering, controlPlane: url } = options
  const controlPlane = url === undefined ? undefined : { url, token: process.env['REDRIVE_TOKEN'] ?? '' }
  const consumer = createConsumer({ transport, service: 'payments', logger: false, ...(controlPlane && { controlPlane }) })
  declareTransactionWorker(consumer, createProducer({ transport }))
  declareSettlementWorker(consumer, {
    seed,
    mended,
    deadLettering,
    trying: ({ id }, retryCount) => screen.log('trying', `${id} retry_count=${retryCount}`),
  })
  consumer.on('completed', ({ channel, messageId, durationMs }) => {
    if (channel === channels.settlements) screen.log('settled', `${messageId} in ${Math.round(durationMs)} ms`)
  })
  consumer.on('dead-lettered', ({ messageId, reason, to }) => screen.log('buried', `${messageId} in ${to}: ${reason}`))
  consumer.on('retried', ({ messageId, description, delayMs }) =>
    screen.log('retry', `${messageId} in ${delayMs} ms: ${description}`),
  )
  tallySettlements(consumer, tally, changed)
  await consumer.start()
  return consumer
}

function monitorOf(options: PaymentsOptions, tally: Tally, signal: AbortSignal, consumer: Consumer | undefined): DlqMonitor {
  const { transport, screen, webhook } = options
  return createDlqMonitor({
    transport,
    signal,
    consumer,
    webhook,
    every: 250,
    alerted: (text) => screen.log('alert', text),
    failed: ({ channel, correlationId, reason, description }) =>
      screen.log(channel === channels.invalidSettlements ? 'invalid' : 'dead', `${correlationId} ${reason}: ${description}`),
    counted: (letters) => {
      tally.lettersInDlq = letters
    },
  })
}

function until(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
