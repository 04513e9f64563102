import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { embedded } from '../../src/transports/embedded/embedded.ts'
import { temporaryFolder } from './letters.fixture.ts'
import type { Stage } from './recovery-story.ts'
import { pauseAndResume, replayUntilReported } from './reporting-story.ts'

function stage(): Stage {
  const transport = embedded({ file: join(temporaryFolder(), 'queue.db') })
  onTestFinished(() => transport.close())
  return { theirs: transport, ours: transport, channel: 'order.placed' }
}

test(
  'publish, fail, letter, fix, replay: the consumer reports that each succeeded, on the embedded queue',
  { timeout: 240_000 },
  () => replayUntilReported(stage()),
)

test(
  'an operator pauses a channel over the API and resumes it, and nothing is lost or dead-lettered, on the embedded queue',
  {
    timeout: 240_000,
  },
  () => pauseAndResume(stage()),
)
