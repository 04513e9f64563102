/**
 * Values by key that are busy for a moment and idle again, over and over. An idle one stays for the next time: a map that fills and
 * empties all the time leaves a table behind with every change of its size, and each keeps the next one alive, beyond many collections.
 * When there are many, the busy ones move into a new map, so that keys which never come again take no room.
 */
export interface Recurring<V> {
  get(key: string): V | undefined
  /** The one of before, or a new one. */
  obtain(key: string): V
  /** One of them has become idle. */
  rested(): void
}

const manyAtLeast = 8192

export function recurring<V>(create: (key: string) => V, isIdle: (value: V) => boolean): Recurring<V> {
  let values = new Map<string, V>()
  let many = manyAtLeast

  function dropIdle(): void {
    values = new Map([...values].filter(([, value]) => !isIdle(value)))
    many = Math.max(manyAtLeast, 2 * values.size)
  }

  return {
    get: (key) => values.get(key),
    obtain(key) {
      const known = values.get(key)
      if (known !== undefined) return known
      const value = create(key)
      values.set(key, value)
      return value
    },
    rested() {
      if (values.size > many) dropIdle()
    },
  }
}
