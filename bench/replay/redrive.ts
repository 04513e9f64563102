import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { names } from '../../src/core/dialects/letter-headers.ts'
import { redriveHeaders } from '../../src/core/letter.ts'
import { arrivalOf } from '../../src/ops/arrival-of.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import type { Arrival } from '../../src/vault/arrival.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import type { Contender } from '../measure.ts'
import { orderMessage } from '../payload.ts'
import { workQueue } from '../rabbitmq/queues.ts'
import { createTarget } from './target.ts'

const batch = 1000
const mebibyte = 2 ** 20

/** The control plane on a vault that holds the letters: from the word to start to the last letter that is written down as sent. */
export const redriveReplay: Contender = {
  name: 'redrive',
  async prepare(messages) {
    const target = await createTarget()
    const folder = mkdtempSync(join(process.env['REDRIVE_BENCH_FOLDER'] ?? tmpdir(), 'redrive-replay-bench-'))
    const vault = sqliteVault({ file: join(folder, 'vault.db') })
    const transport = rabbitmq({ url: target.vhost.url })
    await fill(vault, messages)
    const plane = createControlPlane({
      vault,
      clock: systemClock,
      newId: newUuid,
      draw: randomBytes,
      sources: [],
      transportNamed: () => transport,
    })
    const wishes = { name: 'bench', actor: 'bench', rate: 100_000, canary: undefined, observe: 3_600_000 }
    const { replay } = await plane.replays.seal({ filter: 'state:open' }, wishes)
    const memory = { early: 0, peak: 0 }
    return {
      async run(begin) {
        begin()
        await runToEnd(plane, replay.id, messages, memory)
      },
      async cleanUp() {
        await plane.close()
        await transport.close()
        await vault.close()
        rmSync(folder, { recursive: true })
        await target.remove(messages)
      },
      figures: () => ({ rssOfFirstTenthMiB: memory.early / mebibyte, rssPeakMiB: memory.peak / mebibyte }),
    }
  },
}

async function runToEnd(
  plane: RunningControlPlane,
  replay: number,
  messages: number,
  memory: { early: number; peak: number },
): Promise<void> {
  const allSent = new Promise<void>((resolve) => {
    plane.onChange((change) => {
      if (change.kind !== 'replay') return
      const rss = process.memoryUsage.rss()
      memory.peak = Math.max(memory.peak, rss)
      if (change.counts.sent <= messages / 10) memory.early = Math.max(memory.early, rss)
      if (change.counts.sent === messages) resolve()
    })
  })
  await plane.replays.start(replay, { actor: 'bench' })
  await allSent
}

async function fill(vault: Vault, messages: number): Promise<void> {
  const { id: source } = await vault.write('registerSource', { connection: 'shop', channel: 'dlq.orders', part: '', group: '' })
  for (let start = 0; start < messages; start += batch) {
    const count = Math.min(batch, messages - start)
    const arrivals = Array.from({ length: count }, (_, index) => letter(start + index))
    await vault.write('ingest', { source, now: Date.now(), arrivals })
  }
}

/** A letter as our runtime writes it, of the same message that the others send. */
function letter(number: number): Arrival {
  const message = {
    ...orderMessage(number),
    headers: [
      [redriveHeaders.letter, `letter-${number}`],
      [names.reason, 'NonRetryableError'],
      [names.errorType, 'Error'],
      [names.description, 'card declined'],
      [names.failedAt, new Date(Date.UTC(2026, 0, 1) + number).toISOString()],
      [redriveHeaders.originChannel, workQueue],
    ] as [string, string][],
  }
  return arrivalOf({ message, channel: 'dlq.orders', deliveredBefore: false, broker: 'completing' }, Date.now(), randomBytes(8))
}
