import { RedriveError } from '../../core/errors.ts'
import { lastId } from './schema.ts'
import type { ChannelRow, ChannelStatements, WriterStatements } from './statements.ts'

/** Channels are never altered and never deleted, so what was read once stays true. */
export interface ChannelBook {
  find(name: string): ChannelRow | undefined
  named(name: string): ChannelRow
  numbered(id: number): ChannelRow
}

export function createChannelBook(statements: ChannelStatements): ChannelBook {
  const byName = new Map<string, ChannelRow>()
  const byNumber = new Map<number, ChannelRow>()

  function remember(row: ChannelRow | undefined): ChannelRow | undefined {
    if (row) {
      byName.set(row.name, row)
      byNumber.set(row.id, row)
    }
    return row
  }

  const find = (name: string) => byName.get(name) ?? remember(statements.channelNamed.get(name))
  return {
    find,
    named: (name) => find(name) ?? unknownChannel(name),
    numbered: (id) => byNumber.get(id) ?? remember(statements.channelNumbered.get(id)) ?? unknownChannel(String(id)),
  }
}

function unknownChannel(name: string): never {
  throw new RedriveError('unknown-channel', `The channel "${name}" does not exist; provision it first.`)
}

/**
 * Counts what one transaction adds and removes, and writes each channel's sum once before the commit: the counts are exact
 * because they are part of the same transaction, and cheap because they are one row.
 */
export interface Tally {
  /** The id of a new message in that channel. */
  added(channel: number): number
  removed(channel: number): void
  write(): void
}

export function createTally(statements: WriterStatements): Tally {
  const next = new Map<number, number>()
  const more = new Map<number, number>()
  const change = (channel: number, by: number) => more.set(channel, (more.get(channel) ?? 0) + by)

  return {
    added(channel) {
      const id = next.get(channel) ?? statements.nextId.get(channel)?.next_id ?? unknownChannel(String(channel))
      if (id > lastId(channel)) throw new RedriveError('refused', 'The channel has used up all of its ids.')
      next.set(channel, id + 1)
      change(channel, 1)
      return id
    },
    removed: (channel) => void change(channel, -1),
    write() {
      for (const [channel, by] of more) statements.count.run(next.get(channel) ?? 0, by, channel)
    },
  }
}
