import type { Message } from '../../../src/core/message.ts'

/** What was told of a record that is not done. */
interface Begun {
  /** Turns that it began alone. */
  readonly turns: number
}

/**
 * A partition and what its group has committed about it: which records are done, and, in the metadata of the commit, which were
 * begun. Only what stands here survives the members.
 */
export interface Partition {
  readonly number: number
  append(message: Message): void
  messages(): readonly Message[]
  left(): number
  /** The first record at or after `from` that is not done. */
  nextUndone(from: number): number | undefined
  message(offset: number): Message
  /** Present where a record was begun and nobody told what became of it. */
  begun(offset: number): Begun | undefined
  begin(offset: number): void
  /** As if it had not been begun this time. */
  forget(offset: number, before: Begun | undefined): void
  complete(offset: number): void
}

export function createPartition(number: number): Partition {
  const log: Message[] = []
  const done = new Set<number>()
  const begun = new Map<number, Begun>()
  let committed = 0
  return {
    number,
    append: (message) => void log.push(message),
    messages: () => log,
    left: () => log.length - committed - done.size,
    nextUndone(from) {
      for (let offset = Math.max(from, committed); offset < log.length; offset++) if (!done.has(offset)) return offset
      return undefined
    },
    message: (offset) => log[offset] as Message,
    begun: (offset) => begun.get(offset),
    begin(offset) {
      const before = begun.get(offset)
      begun.set(offset, { turns: before ? before.turns + 1 : 0 })
    },
    forget(offset, before) {
      if (before) begun.set(offset, before)
      else begun.delete(offset)
    },
    complete(offset) {
      begun.delete(offset)
      done.add(offset)
      while (done.delete(committed)) committed++
    },
  }
}
