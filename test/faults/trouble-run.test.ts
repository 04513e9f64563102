import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startBroker } from '../../scripts/brokers/start.ts'
import { servicebusArena } from './servicebus/arena.ts'
import { type Scene, troubleRun } from './trouble-run.ts'

/** When nothing has happened for so long, a planted bug has done what it does. Milliseconds. */
const patience = 500

/** So long a standstill is the fault that is injected here, and not a wait for anything. */
async function standStill({ consumers, sendRest, healthyAreDone }: Scene): Promise<void> {
  for (const consumer of consumers) consumer.signal('SIGSTOP')
  await sendRest()
  const waking = sleep(4 * patience).then(() => {
    for (const consumer of consumers) consumer.signal('SIGCONT')
  })
  await Promise.all([healthyAreDone(), waking])
}

it('waits longer for healthy messages than for a planted bug, on a machine that stands still meanwhile', async () => {
  const broker = await startBroker('servicebus')
  onTestFinished(() => broker.stop())
  const arena = await servicebusArena(broker, 'queues')
  onTestFinished(() => arena.close())
  const run = { subject: 'servicebus', messages: 40, trouble: standStill, patience }
  expect((await troubleRun(run, arena)).verdict).toMatchObject({ sent: 40, lost: [] })
})
