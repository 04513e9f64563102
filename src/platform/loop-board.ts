import type { BegunHandler } from '../core/ports.ts'

/**
 * What the watched thread writes for the watching one: a few numbers and three texts in shared memory. The watcher reads them only
 * while the other stands still, so nothing is torn.
 */
export interface LoopBoard {
  beat(): void
  readonly beats: number
  /** Waits for at most so long; tells whether the watch is over. */
  waitForEnd(ms: number): boolean
  end(): void
  begin(handler: BegunHandler): void
  finish(): void
  /** Handlers that have begun and not ended. */
  readonly running: number
  /** The one that began last, where any is running. */
  last(): BegunHandler | undefined
  /** The watcher has said that the loop is blocked, and blamed the last handler. */
  blame(): void
  /** Whether it has since this was last asked, and whom. */
  takeBlame(): { readonly blamed: BegunHandler | undefined } | undefined
}

const longest = 100
const slots = { beats: 0, ended: 1, running: 2, told: 3, lengths: 4 } as const
/** Channel, message id and correlation id of the handler that began last, then of the blamed one. */
const parts = 3
const textsFrom = 4 * (slots.lengths + 2 * parts)

export const loopBoardBytes: number = textsFrom + 2 * parts * longest

export function loopBoard(memory: SharedArrayBuffer): LoopBoard {
  const numbers = new Int32Array(memory, 0, textsFrom / 4)
  const texts = Buffer.from(memory, textsFrom)
  let channelThere: string | undefined

  /** Ids are nearly always ASCII; what is not is unreadable here and harms nobody. A length of -1 stands for none. */
  function put(index: number, text: string | undefined): void {
    numbers[slots.lengths + index] = text === undefined ? -1 : texts.write(text, index * longest, longest, 'latin1')
  }

  function get(index: number): string | undefined {
    const length = numbers[slots.lengths + index] ?? -1
    return length < 0 ? undefined : texts.toString('latin1', index * longest, index * longest + length)
  }

  function handlerAt(from: number): BegunHandler | undefined {
    const channel = get(from)
    const isThere = channel !== undefined && (from > 0 || Atomics.load(numbers, slots.running) > 0)
    return isThere ? { channel, messageId: get(from + 1), correlationId: get(from + 2) } : undefined
  }

  return {
    beat: () => void Atomics.add(numbers, slots.beats, 1),
    get beats() {
      return Atomics.load(numbers, slots.beats)
    },
    waitForEnd: (ms) => Atomics.wait(numbers, slots.ended, 0, ms) !== 'timed-out',
    end() {
      Atomics.store(numbers, slots.ended, 1)
      Atomics.notify(numbers, slots.ended)
    },
    begin({ channel, messageId, correlationId }) {
      numbers[slots.running] = (numbers[slots.running] ?? 0) + 1
      if (channel !== channelThere) put(0, channel)
      channelThere = channel
      put(1, messageId)
      put(2, correlationId)
    },
    finish() {
      numbers[slots.running] = (numbers[slots.running] ?? 0) - 1
    },
    get running() {
      return Atomics.load(numbers, slots.running)
    },
    last: () => handlerAt(0),
    blame() {
      const last = handlerAt(0)
      put(parts, last?.channel)
      put(parts + 1, last?.messageId)
      put(parts + 2, last?.correlationId)
      Atomics.store(numbers, slots.told, 1)
    },
    takeBlame: () => (Atomics.exchange(numbers, slots.told, 0) === 1 ? { blamed: handlerAt(parts) } : undefined),
  }
}
