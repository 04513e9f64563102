/**
 * Looking at values that may be hostile: proxies that throw on every trap, revoked proxies, getters that throw. What cannot be
 * seen reads as absent.
 */

/** A property of anything, its own or inherited. */
export function warilyRead(value: unknown, key: PropertyKey): unknown {
  try {
    return isObject(value) ? (value as Readonly<Record<PropertyKey, unknown>>)[key] : undefined
  } catch {
    return undefined
  }
}

export function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

/** `instanceof` runs the code of whoever wrote the class and of whoever made the value. */
export function isInstance(value: unknown, type: unknown): boolean {
  try {
    return typeof type === 'function' && value instanceof type
  } catch {
    return false
  }
}
