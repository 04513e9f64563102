import type { TurnNote } from './commit-notes.ts'

export interface Fetched<T> {
  readonly offset: bigint
  /** Not to be handed out before; 0 for at once. Epoch milliseconds. */
  readonly due: number
  readonly value: T
}

/** A record in the books of its partition. */
export interface Entry<T> extends Fetched<T> {
  /** From where the books began. */
  readonly distance: number
  /** How many offsets it stands for: one, unless others that are done were joined to it. */
  length: number
  due: number
  state: 'waiting' | 'in-hand' | 'done'
  turns: number
  suspect: boolean
  /** Sent back for a while: its key waits for it. */
  holdsKey: boolean
}

export function fresh<T>({ offset, due, value }: Fetched<T>, from: bigint): Entry<T> {
  const distance = Number(offset - from)
  return { offset, distance, length: 1, due, value, state: 'waiting', turns: 0, suspect: false, holdsKey: false }
}

export function followsDone<T>({ state, distance }: Entry<T>, before: Entry<T>): boolean {
  return state === 'done' && before.state === 'done' && before.distance + before.length === distance
}

export function isBegun<T>({ state, suspect }: Entry<T>, parting: boolean): boolean {
  return (state === 'in-hand' && !parting) || (suspect && state !== 'done')
}

export function turnNote<T>({ state, suspect, offset, turns, due, holdsKey }: Entry<T>, parting: boolean): TurnNote | undefined {
  // Who parts gives a suspect back that is in hand: the turn that was told beforehand did not end in anything.
  const counted = parting && suspect && state === 'in-hand' ? turns - 1 : turns
  if (counted <= 0) return undefined
  return holdsKey ? { offset, turns: counted, due } : { offset, turns: counted }
}
