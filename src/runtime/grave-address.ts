import type { Destination } from '../core/decision.ts'
import type { Address } from '../transports/seam.ts'
import type { ChannelSettings } from './channel-options.ts'

/** Which channel a destination is here. A copy of our own is for our own group only. */
export function graveAddress(destination: Destination, { name, group, deadLetter, invalid }: ChannelSettings): Address {
  if (destination === 'invalid' && invalid !== undefined) return { name: invalid }
  if (destination !== 'self' && deadLetter !== undefined) return { name: deadLetter }
  return group === undefined ? { name } : { name, group }
}
