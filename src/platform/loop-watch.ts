import { Worker } from 'node:worker_threads'
import type { LoopWatch, LoopWatchOptions } from '../core/ports.ts'
import { loopBoard, loopBoardBytes } from './loop-board.ts'

/** What the watching thread is told. */
export interface LoopWatchOrder extends Pick<LoopWatchOptions, 'onBlocked' | 'lineFields'> {
  readonly memory: SharedArrayBuffer
  readonly tick: number
  /** Ticks without a beat before the loop is taken for blocked. */
  readonly ticks: number
}

const ticks = 5

/** The thread's code stands beside this file, as source while developing and as JavaScript in the package. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './loop-watch-thread.ts' : './loop-watch-thread.js', import.meta.url)

export function watchLoop(options: LoopWatchOptions): LoopWatch {
  const { blockedAfter, onBlocked, lineFields, freed } = options
  const memory = new SharedArrayBuffer(loopBoardBytes)
  const board = loopBoard(memory)
  const tick = Math.max(1, blockedAfter / ticks)
  const order: LoopWatchOrder = { memory, tick, ticks, onBlocked, lineFields }
  const thread = new Worker(entry, { workerData: order, execArgv: [] })
  // A watch that cannot be kept harms nobody.
  thread.on('error', () => {})
  thread.unref()
  let lastBeat = performance.now()
  const beating = setInterval(beat, tick).unref()

  function beat(): void {
    const now = performance.now()
    board.beat()
    const told = board.takeBlame()
    if (told) freed(now - lastBeat, told.blamed)
    lastBeat = now
  }

  return {
    began: board.begin,
    ended: board.finish,
    stop() {
      clearInterval(beating)
      board.end()
    },
  }
}
