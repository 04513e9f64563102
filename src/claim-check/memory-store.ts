import { RedriveError } from '../core/errors.ts'
import { sizeWithin } from '../core/option-checks.ts'
import { readOptions } from '../core/options.ts'
import type { BodyStore } from '../core/ports.ts'
import type { Size } from '../core/size.ts'

export interface MemoryStoreOptions {
  /** What all bodies together may take. */
  readonly maxSize?: Size
}

/** Bodies in the memory of one process, for tests. */
export function memoryStore(options: MemoryStoreOptions = {}): BodyStore {
  const given = readOptions(options, ['maxSize'], 'memoryStore')
  const maxSize = given.read('maxSize', sizeWithin({ min: '1B', max: '16GiB' }), 64 * 1024 ** 2)
  const bodies = new Map<string, Uint8Array>()
  let size = 0
  return {
    async put(key, body) {
      const grown = size - (bodies.get(key)?.byteLength ?? 0) + body.byteLength
      if (grown > maxSize) throw new RedriveError('store-full', `the store of bodies may not grow beyond ${maxSize} bytes`)
      bodies.set(key, Uint8Array.from(body))
      size = grown
    },
    async get(key) {
      const body = bodies.get(key)
      return body && Uint8Array.from(body)
    },
    async remove(key) {
      size -= bodies.get(key)?.byteLength ?? 0
      return bodies.delete(key)
    },
  }
}
