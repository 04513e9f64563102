import { RedriveError } from '../../core/errors.ts'
import type { Tools } from '../tools.ts'
import { type EmbeddedOptions, embedded } from './embedded.ts'
import { examine } from './examine.ts'

export const tools: Tools = {
  open: (options) => embedded(options as EmbeddedOptions),
  examine,
  formats: [],
  async export() {
    throw new RedriveError('unsupported', 'No other tool makes the channels of a database file: use topology apply.')
  },
}
