import { RedriveError } from '../../core/errors.ts'
import type { Tools } from '../tools.ts'
import { examine } from './examine.ts'
import type { PostgresOptions } from './options.ts'
import { postgres } from './postgres.ts'

export const tools: Tools = {
  open: (options) => postgres(options as PostgresOptions),
  examine,
  formats: [],
  async export() {
    throw new RedriveError('unsupported', 'No other tool makes the channels of a database: use topology apply.')
  },
}
