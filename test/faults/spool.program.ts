import { RedriveError } from '../../src/core/errors.ts'
import { systemFiles } from '../../src/platform/files.ts'
import { createConsumer, defineMessage, PermanentError } from '../../src/redrive.ts'
import { embedded } from '../../src/transports/embedded/embedded.ts'

/** A consumer whose dead-letter channel is down, in a process of its own, which the tests of the spool kill. */
export interface SpoolOrder {
  readonly queue: string
  readonly spool: string
  /** A planted bug: nothing is synced. */
  readonly forgetsToSync: boolean
}

const { queue, spool, forgetsToSync } = JSON.parse(process.argv[2] ?? '{}') as SpoolOrder
const unsynced: typeof systemFiles = {
  ...systemFiles,
  syncFolder: async () => {},
  create: async (path) => ({ ...(await systemFiles.create(path)), sync: async () => {} }),
}
const real = embedded({ file: queue })
const refusing: typeof real = {
  ...real,
  async settle(delivery, settlement) {
    if (settlement.kind === 'move') throw new RedriveError('refused', 'told to refuse')
    return real.settle(delivery, settlement)
  },
  send: () => Promise.reject(new RedriveError('refused', 'told to refuse')),
}
const platform = forgetsToSync ? { files: unsynced } : {}
const consumer = createConsumer({ transport: refusing, service: 'spooling', logger: false, platform })
const Doomed = defineMessage('doomed')
// What it held when it was killed is for the next one two seconds later.
consumer.channel('work', { deadLetter: 'dead', hold: '2s', onDeadLetterFailure: { spool } }).on(Doomed, () => {
  throw new PermanentError('this one never works')
})
consumer.on('spooled', () => process.send?.('spooled'))
await consumer.start()
