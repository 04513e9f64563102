import { redis } from '../../src/transports/redis/redis.ts'
import type { Library } from '../library.ts'
import { consumeWith } from '../redrive-library.ts'
import { fillStreams, lettersIn } from './streams.ts'

export const library: Library = {
  fill: fillStreams,
  letters: lettersIn,
  consume: ({ url, prefix, work }, progress) => consumeWith(redis({ url, prefix }), work, progress),
}
