import { resolve } from 'node:path'

/**
 * Every process and every thread that is started from here on keeps what Node made of its TypeScript, and finds what others made of it. Tests
 * open vaults and start programs thousands of times; most of the time of each went into reading the same files anew.
 */
export function keepCompiled(): void {
  process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, '../node_modules/.cache/redrive-compiled')
}
