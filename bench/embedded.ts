import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embedded } from '../src/transports/embedded/embedded.ts'
import { handWrittenQueue } from './hand-written-queue.ts'
import type { Contender } from './measure.ts'
import { batchSize, type OpenTransport, redriveContender } from './redrive-contender.ts'
import type { Scenario } from './scenario.ts'
import * as workloads from './workloads.ts'

/** Redrive on its SQLite file beside a loop that somebody would write by hand on the same binding with the same durability. */
export const embeddedScenarios: readonly Scenario[] = [
  {
    name: 'success-embedded',
    messages: 150_000,
    contenders: () => [byHand('complete'), redriveContender(open, workloads.success, false)],
  },
  {
    name: 'success-in-order-embedded',
    messages: 50_000,
    contenders: () => [byHand('complete'), redriveContender(open, workloads.success)],
  },
  {
    name: 'fail-once-embedded',
    messages: 20_000,
    contenders: () => [byHand('retry-once'), redriveContender(open, workloads.failOnce, false)],
  },
  {
    name: 'dead-letter-embedded',
    messages: 20_000,
    contenders: () => [byHand('move'), redriveContender(open, workloads.deadLetter, false)],
  },
]

async function open(): Promise<OpenTransport> {
  const { file, remove } = scratchFile()
  const transport = embedded({ file })
  return {
    transport,
    async cleanUp() {
      await transport.close()
      remove()
    },
  }
}

function byHand(answer: 'complete' | 'retry-once' | 'move'): Contender {
  return {
    name: 'bare',
    async prepare(messages) {
      const { file, remove } = scratchFile()
      const queue = handWrittenQueue(file)
      queue.fill(messages)
      return {
        run: () => queue.consume(batchSize, answer),
        async cleanUp() {
          queue.close()
          remove()
        },
      }
    },
  }
}

function scratchFile(): { file: string; remove: () => void } {
  const folder = mkdtempSync(join(process.env['REDRIVE_BENCH_FOLDER'] ?? tmpdir(), 'redrive-bench-'))
  return { file: join(folder, 'queue.db'), remove: () => rmSync(folder, { recursive: true }) }
}
