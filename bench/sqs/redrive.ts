import { sqs } from '../../src/transports/sqs/sqs.ts'
import type { Library } from '../library.ts'
import { consumeWith } from '../redrive-library.ts'
import { fillQueues, lettersIn } from './queues.ts'

export const library: Library = {
  fill: fillQueues,
  letters: lettersIn,
  consume: ({ url, prefix, work }, progress) => consumeWith(sqs({ endpoint: url, prefix, pollFor: '1s' }), work, progress),
}
