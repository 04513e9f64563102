import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { graveDownUnderLoad } from '../../../test/grave-down-under-load.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Transport } from '../seam.ts'
import { embedded } from './embedded.ts'

/** A real file, of which one channel can be told to refuse. */
function refusable(transport: Transport): { readonly transport: Transport; refuse(channel: string): () => void } {
  let refused: string | undefined
  const check = (channel: string): void => {
    if (channel === refused) throw new RedriveError('refused', 'told to refuse')
  }
  return {
    transport: {
      ...transport,
      async settle(delivery, settlement) {
        if (settlement.kind === 'move') check(settlement.to.name)
        return transport.settle(delivery, settlement)
      },
      async send(address, message, options) {
        check(address.name)
        return transport.send(address, message, options)
      },
    },
    refuse(channel) {
      refused = channel
      return () => {
        refused = undefined
      }
    },
  }
}

test.each(['hold', 'spool'] as const)(
  'with %s, healthy messages flow while the dead-letter channel is down, and nothing is lost',
  { timeout: 300_000 },
  async (answer) => {
    const folder = mkdtempSync(join(tmpdir(), 'redrive-embedded-'))
    const file = join(folder, 'queue.db')
    const { transport, refuse } = refusable(embedded({ file }))
    const [produce, observer] = [embedded({ file }), embedded({ file })]
    const breakGrave = async (): Promise<() => Promise<void>> => {
      const repair = refuse('dead')
      return async () => repair()
    }
    const observe = async (name: string): Promise<readonly string[]> =>
      (await observer.browse({ name }, { limit: 1000 })).messages.map(({ message }) => message.id ?? '')
    const report = await graveDownUnderLoad({ consume: transport, produce, answer, breakGrave, observe })
    console.log(`embedded, ${answer}: ${report}`)
    expect(report).toContain('0 lost')
    await Promise.all([transport, produce, observer].map((each) => each.close()))
    rmSync(folder, { recursive: true, force: true })
  },
)
