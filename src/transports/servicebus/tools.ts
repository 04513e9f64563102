import { RedriveError } from '../../core/errors.ts'
import type { Tools } from '../tools.ts'
import { examine } from './examine.ts'
import type { ServicebusOptions } from './options.ts'
import { servicebus } from './servicebus.ts'

export const tools: Tools = {
  open: (options) => servicebus(options as ServicebusOptions),
  examine,
  formats: [],
  async export() {
    throw new RedriveError('unsupported', 'The entities of Service Bus are not exported yet: use topology apply.')
  },
}
