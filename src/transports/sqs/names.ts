import { createHash } from 'node:crypto'
import { RedriveError } from '../../core/errors.ts'
import type { Address } from '../seam.ts'
import type { Settings } from './options.ts'

const suffix = '.fifo'

/** SQS takes letters, digits, dashes and underscores; every other character of a channel's name becomes a dash. */
export function queueNameOf({ name, group, part }: Address, { queues, prefix }: Pick<Settings, 'queues' | 'prefix'>): string {
  if (group !== undefined)
    throw new RedriveError('unsupported', `A queue of SQS has no consumer groups: leave out the group ${group} of ${name}.`)
  const channel = part === undefined ? name : `${name}-${part}`
  const isFifo = channel.endsWith(suffix)
  if (isFifo && queues === 'standard')
    throw new RedriveError('bad-option', `${channel} is a FIFO queue: use a transport with queues: 'fifo' for it.`)
  const plain = prefix + (isFifo ? channel.slice(0, -suffix.length) : channel).replaceAll(/[^A-Za-z0-9_-]/g, '-')
  const queue = queues === 'fifo' ? plain + suffix : plain
  if (plain.length > 0 && queue.length <= 80) return queue
  throw new RedriveError('bad-option', `${JSON.stringify(channel)} makes no name of a queue, which has 1 to 80 characters.`)
}

/** A name of a message group, or of a message among duplicates. What SQS would not take is known by its hash. */
export function tokenOf(value: string | Uint8Array): string {
  if (typeof value === 'string' && /^[\x21-\x7e]{1,128}$/.test(value)) return value
  const kind = typeof value === 'string' ? 'text' : 'bytes'
  return `redrive-${createHash('sha256').update(kind).update(value).digest('hex')}`
}
