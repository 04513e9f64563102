import { copyBetween } from '../../src/vault/copy/open-copy.ts'

/** Copies from one vault to another, and tells its parent whenever it has come further. */
const [from = '', to = ''] = process.argv.slice(2)
await copyBetween(from, to, (news) => process.send?.(news))
process.disconnect()
