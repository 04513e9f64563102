import { copyBetween } from '../../src/vault/copy/open-copy.ts'

/**
 * Copies from one vault to another, and dies as by kill -9 a moment after it has told so many times how far it came, whatever it does by then. Nobody
 * else could be sure to be in time.
 */
const [from = '', to = '', tellings = ''] = process.argv.slice(2)
const longestMoment = 5
let told = 0
await copyBetween(from, to, () => {
  if (++told === Number(tellings)) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Math.random() * longestMoment)
})
