import { RedriveError } from '../../core/errors.ts'
import type { Measure, Page, PageRequest } from '../seam.ts'
import type { Answer, Connection } from './connection.ts'
import { timeOf } from './entries.ts'
import { messageIn } from './entry.ts'
import { keyList, keysOf } from './keys.ts'
import * as looking from './look-scripts.ts'
import type { Settings } from './options.ts'
import { remove as removeScript } from './scripts.ts'
import { unknownChannel } from './store.ts'

/** Bodies that one page brings into memory at most, unless a single one is larger. */
const pageBytes = 32 * 1024 * 1024
const entryId = /^\d{1,20}-\d{1,20}$/

type BrowsedEntry = readonly [id: Buffer, deliveries: number, replaced: Answer, fields: Answer]

export async function browse(connection: Connection, settings: Settings, channel: string, page: PageRequest): Promise<Page> {
  const { limit, after = '0-0' } = page
  if (!entryId.test(after)) throw new RedriveError('bad-option', `"${after}" is not the \`next\` of a page.`)
  const keys = keyList(keysOf(settings.prefix, channel))
  const answer = await connection.run(looking.browse, keys, [settings.group, after, limit, pageBytes])
  if (answer === null) throw unknownChannel(channel)
  const [entries, more] = answer as readonly [readonly BrowsedEntry[], number]
  const messages = entries.map(([id, deliveries, replaced, fields]) => ({
    message: messageIn(fields, replaced),
    position: String(id),
    deliveries,
    enqueuedAt: timeOf(String(id)),
  }))
  const last = messages.at(-1)
  return more > 0 && last ? { messages, next: last.position } : { messages }
}

export async function measure(connection: Connection, settings: Settings, channel: string): Promise<Measure> {
  const { stream } = keysOf(settings.prefix, channel)
  const answer = await connection.run(looking.measure, [stream], [settings.group])
  if (answer === null) throw unknownChannel(channel)
  const [retained, oldest, consumers] = answer as readonly [number, Buffer, number]
  return { retained, pending: retained, consumers, ...(oldest.byteLength > 0 && { oldestAt: timeOf(String(oldest)) }) }
}

/** Tells whether it was there and nobody held it. */
export async function remove(connection: Connection, settings: Settings, channel: string, position: string): Promise<boolean> {
  if (!entryId.test(position)) return false
  const keys = keyList(keysOf(settings.prefix, channel))
  return (await connection.run(removeScript, keys, [settings.group, position])) === 1
}
