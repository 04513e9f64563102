import { RedriveError } from '../../core/errors.ts'
import type { Tools } from '../tools.ts'
import { examine } from './examine.ts'
import type { RedisOptions } from './options.ts'
import { redis } from './redis.ts'

export const tools: Tools = {
  open: (options) => redis(options as RedisOptions),
  examine,
  formats: [],
  async export() {
    throw new RedriveError('unsupported', 'No other tool makes the streams of Redis: use topology apply.')
  },
}
