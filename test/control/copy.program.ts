import { copyBetween } from '../../src/vault/copy/open-copy.ts'
import { diesAfter } from './dies-after.ts'

/** Copies from one vault to another, and dies when it has told so many times how far it came. */
const [from = '', to = '', tellings = ''] = process.argv.slice(2)
await copyBetween(from, to, diesAfter(Number(tellings)))
