/**
 * What a group remembers about a partition beside its offset, as the text that is committed along with it. A log stores one number
 * and up to 4,096 bytes of metadata; here is everything else: what is done beyond the number, what was begun, and turns.
 *
 * Everything is told relative to the committed offset, in base 36, so that it stays short however long the log is. Nothing in it
 * is a payload.
 */
export interface Notes {
  /** Settled, beyond the committed offset. */
  readonly done: readonly bigint[]
  /** Handed out, with nobody having told what became of it: after a crash, these are the suspects. */
  readonly begun: readonly bigint[]
  /** Records that have had turns. */
  readonly turns: readonly TurnNote[]
}

export interface TurnNote {
  readonly offset: bigint
  readonly turns: number
  /** When it may be delivered again, where it waits for that. Epoch milliseconds. */
  readonly due?: number
}

/** How far beyond the committed offset anything may be handed out: the notes on so many records always fit. */
export const notesSpan = 8192
/** How many records of a partition may have turns at one time. */
export const notedTurns = 64

/** The broker's default limit, `offset.metadata.max.bytes`. */
export const notesLimit = 4096

const version = 'redrive1'
const radix = 36
/** Characters. */
const fewRanges = 64

/** The same as it is written: sets as ranges of distances from the committed offset, in order. They are small, and offsets are not. */
export interface NotesToWrite {
  readonly done: readonly Range[]
  readonly begun: readonly Range[]
  readonly turns: readonly TurnNote[]
}

export interface Range {
  readonly from: number
  length: number
}

/** To a list in order: what follows upon its last range makes that one longer. */
export function addRange(ranges: Range[], from: number, length: number): void {
  const last = ranges.at(-1)
  if (last && last.from + last.length === from) last.length += length
  else ranges.push({ from, length })
}

export function writeNotes(floor: bigint, { done, begun, turns }: NotesToWrite): string {
  if (done.length + begun.length + turns.length === 0) return version
  const turned = turns.map(({ offset, turns, due }) => {
    const told = [number(Number(offset - floor)), number(turns)]
    return (due === undefined ? told : [...told, number(due)]).join(':')
  })
  return [version, writeSet(done), writeSet(begun), turned.join(',')].join('|')
}

/** Foreign or torn metadata is no notes: the offset counts, and everything beyond it is new. */
export function readNotes(floor: bigint, metadata: string | null): Notes {
  const [said, done = '', begun = '', turned = ''] = (metadata ?? '').split('|')
  if (said !== version) return { done: [], begun: [], turns: [] }
  return { done: readSet(floor, done), begun: readSet(floor, begun), turns: readTurns(floor, turned) }
}

/** As ranges, which a person can read; as bits where there are so many ranges that bits are shorter. */
function writeSet(ranges: readonly Range[]): string {
  const text = writeRanges(ranges)
  const bitsLength = ranges.length === 0 ? 0 : 1 + Math.ceil(endOf(ranges) / 6)
  return text.length <= Math.max(bitsLength, fewRanges) ? text : writeBits(ranges)
}

/** Each range as its distance from the end of the one before, and its length where that is not one: `4+2,1`. */
function writeRanges(ranges: readonly Range[]): string {
  let end = 0
  return ranges
    .map(({ from, length }) => {
      const distance = number(from - end)
      end = from + length
      return length === 1 ? distance : `${distance}+${number(length)}`
    })
    .join(',')
}

function writeBits(ranges: readonly Range[]): string {
  const bits = new Uint8Array(Math.ceil(endOf(ranges) / 8))
  for (const { from, length } of ranges)
    for (let at = from; at < from + length; at++) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
  return `~${Buffer.from(bits).toString('base64').replace(/=+$/, '')}`
}

function endOf(ranges: readonly Range[]): number {
  const last = ranges.at(-1)
  return last ? last.from + last.length : 0
}

function readSet(floor: bigint, text: string): bigint[] {
  const deltas = text.startsWith('~') ? readBits(text.slice(1)) : readRanges(text)
  return deltas.map((delta) => floor + BigInt(delta))
}

function readRanges(text: string): number[] {
  const deltas: number[] = []
  let end = 0
  for (const range of text === '' ? [] : text.split(',')) {
    const [distance, length] = range.split('+', 2).map(parse)
    // Where one is torn, nobody knows where the next begin: they are told as not done, and not as somebody else's.
    if (distance === undefined || (length === undefined && range.includes('+'))) break
    const from = end + distance
    end = Math.min(from + (length ?? 1), notesSpan)
    for (let delta = from; delta < end; delta++) deltas.push(delta)
  }
  return deltas
}

function readBits(text: string): number[] {
  const deltas: number[] = []
  for (const [index, byte] of Buffer.from(text, 'base64').entries()) {
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) deltas.push(index * 8 + bit)
  }
  return deltas
}

function readTurns(floor: bigint, text: string): TurnNote[] {
  return (text === '' ? [] : text.split(',')).flatMap((each) => {
    const [delta, turns, due] = each.split(':').map(parse)
    if (delta === undefined || turns === undefined) return []
    const note = { offset: floor + BigInt(delta), turns }
    return due === undefined ? note : { ...note, due }
  })
}

function number(value: number): string {
  return value.toString(radix)
}

/** Metadata that was torn gives no numbers that a loop would never reach the end of, and none that mean another record. */
function parse(text: string): number | undefined {
  const value = Number.parseInt(text, radix)
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
