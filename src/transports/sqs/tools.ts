import { RedriveError } from '../../core/errors.ts'
import type { Tools } from '../tools.ts'
import { examine } from './examine.ts'
import type { SqsOptions } from './options.ts'
import { sqs } from './sqs.ts'

export const tools: Tools = {
  open: (options) => sqs((options ?? {}) as SqsOptions),
  examine,
  formats: [],
  async export() {
    throw new RedriveError('unsupported', 'Queues are made by topology apply; no other format is written for SQS.')
  },
}
