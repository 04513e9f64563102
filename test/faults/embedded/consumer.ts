import { appendFileSync } from 'node:fs'
import { embedded } from '../../../src/transports/embedded/embedded.ts'
import type { Delivery } from '../../../src/transports/seam.ts'

/**
 * A process that consumes until it is killed: `node consumer.ts <file> <log>`. Any program that takes these arguments, keeps this
 * log and announces these points can stand in for it.
 *
 * - It appends `<id>\n` to the log each time a handler succeeds: the log is the observer, the queue is the observed.
 * - Messages whose id ends with `-bad` fail for good and are moved to `dead`; the one named `crash` kills its process, and is
 *   moved to `dead` when it has had three turns.
 * - With `REDRIVE_BARRIER` set to a point it tells its parent the name of the point and stands still there.
 */
type Point = 'after-take' | 'before-handler' | 'after-handler' | 'after-settle-sent' | 'after-settle'

const [, , file = '', log = ''] = process.argv
const { REDRIVE_BARRIER: barrier } = process.env
const transport = embedded({ file })
const receiver = await transport.receive({ name: 'work' }, { prefetch: 200, hold: 500 })
process.send?.('ready')

for (;;) {
  const batch = await receiver.take(200, 1000)
  if (batch.length > 0) await reach('after-take')
  await Promise.all(batch.map(handle))
}

async function handle(delivery: Delivery): Promise<void> {
  await reach('before-handler')
  const failed = !succeeds(delivery)
  await reach('after-handler')
  const { message } = delivery
  const settled = transport.settle(delivery, failed ? { kind: 'move', to: { name: 'dead' }, message } : { kind: 'complete' })
  // A message that was handed out again in the meantime is somebody else's now, and no failure of ours.
  const outcome = settled.catch((error) => void (error.code === 'hold-lost' || fail(error)))
  await reach('after-settle-sent')
  await outcome
  await reach('after-settle')
}

function succeeds({ message, turns }: Delivery): boolean {
  const id = message.id ?? ''
  if (id.endsWith('-bad')) return false
  if (id === 'crash') {
    if (turns >= 3) return false
    process.kill(process.pid, 'SIGKILL')
  }
  appendFileSync(log, `${id}\n`)
  return true
}

async function reach(point: Point): Promise<void> {
  if (barrier !== point) return
  process.send?.(point)
  await new Promise(() => {})
}

function fail(error: unknown): never {
  console.error(error)
  process.exit(1)
}
