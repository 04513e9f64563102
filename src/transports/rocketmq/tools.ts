import { RedriveError } from '../../core/errors.ts'
import type { Tools } from '../tools.ts'
import { examine } from './examine.ts'
import type { RocketmqOptions } from './options.ts'
import { rocketmq } from './rocketmq.ts'

export const tools: Tools = {
  open: (options) => rocketmq((options ?? {}) as RocketmqOptions),
  examine,
  formats: [],
  async export() {
    throw new RedriveError('unsupported', 'Topics are made by topology apply; no other format is written for RocketMQ.')
  },
}
