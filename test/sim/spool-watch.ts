import { basename } from 'node:path'
import type { Files } from '../../src/core/ports.ts'
import { decodeFrames } from '../../src/runtime/spool/frames.ts'
import { decodeLetter } from '../../src/runtime/spool/spooled-letter.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { simChannels } from './script.ts'

/** Sees from outside which letters stand where in the spool, and in which order they leave it. */
export interface SpoolWatch {
  process(): {
    readonly files: (healthy: Files) => Files
    readonly transport: (healthy: Transport) => Transport
  }
  /** Letters that left before others that had waited longer in the same folder. */
  readonly overtaking: readonly string[]
}

/** Where a letter waits: first by file, then within it. */
type Place = number
const filesApart = 1000

/** `contentOf` looks at the disk behind everybody's back. */
export function watchSpools(contentOf: (path: string) => Uint8Array): SpoolWatch {
  const overtaking: string[] = []
  return {
    overtaking,
    process() {
      const places = new Map<string, Place>()
      const sent = new Set<string>()
      let furthest: Place = -1
      /** Written, while its name is not durable: whether it waits there is not known yet. */
      let unsynced: string | undefined

      function found(path: string): void {
        const first = Number(basename(path).split('-')[0]) * filesApart
        for (const [index, record] of decodeFrames(contentOf(path)).contents.entries()) {
          const { id = '' } = decodeLetter(record).message
          places.set(id, Math.min(first + index, places.get(id) ?? Number.POSITIVE_INFINITY))
        }
      }

      function leaves(id: string): void {
        const place = places.get(id)
        if (place === undefined) return
        if (place < furthest && !sent.has(id)) overtaking.push(`${id} was overtaken in the spool`)
        furthest = Math.max(furthest, place)
        sent.add(id)
      }

      return {
        files: (healthy) => ({
          ...healthy,
          read(path) {
            found(path)
            return healthy.read(path)
          },
          async rename(from, to) {
            unsynced = undefined
            await healthy.rename(from, to)
            if (from.endsWith('.letters.new')) unsynced = to
          },
          async syncFolder(folder) {
            await healthy.syncFolder(folder)
            if (unsynced !== undefined) found(unsynced)
            unsynced = undefined
          },
        }),
        transport: (healthy) => ({
          ...healthy,
          send(address, message, options) {
            if (address.name !== simChannels.work) leaves(message.id ?? '')
            return healthy.send(address, message, options)
          },
        }),
      }
    },
  }
}
