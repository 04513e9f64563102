import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { embedded } from '../../src/transports/embedded/embedded.ts'
import { temporaryFolder } from './letters.fixture.ts'
import { recoverOrders } from './recovery-story.ts'

test('publish, fail, letter, trace, edit, replay, processed: on the embedded queue', async () => {
  const transport = embedded({ file: join(temporaryFolder(), 'queue.db') })
  onTestFinished(() => transport.close())
  await recoverOrders({ theirs: transport, ours: transport, channel: 'order.placed' })
})
