import { leastDiskFree } from '../core/alerts/default-rules.ts'
import { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'

const askEvery = 1000

/** Rejects with `store-full` where nothing more is to be taken in. */
export type DiskRoom = () => Promise<void>

/**
 * Letters are safer on their brokers than on a disk that is about to be full, where nobody can even say what became of them any more. So
 * nothing is taken in while little is free, and what people do with the letters that are here goes on.
 */
export function createDiskRoom(diskFree: () => Promise<number>, clock: Clock): DiskRoom {
  let askedAt = Number.NEGATIVE_INFINITY
  let free = 1
  return async () => {
    if (clock.monotonic() - askedAt >= askEvery) {
      askedAt = clock.monotonic()
      free = await diskFree()
    }
    if (free < leastDiskFree) {
      throw new RedriveError(
        'store-full',
        `Less than ${leastDiskFree * 100} % of the vault's disk is free: letters stay on their brokers until there is room.`,
      )
    }
  }
}
