import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { loopBoard } from './loop-board.ts'
import type { LoopWatchOrder } from './loop-watch.ts'

/** The thread that watches: it waits, looks whether the loop has turned, and writes to standard error by itself. */
const { memory, tick, ticks, onBlocked, lineFields } = workerData as LoopWatchOrder
const board = loopBoard(memory)
const standardError = 2
const levels = { warn: 50, exit: 60 } as const

/** Ticks are counted, not time: a machine that slept, or a process that was stopped, was not blocked. */
let still = 0
let sayAt = ticks
let seen = board.beats
while (!board.waitForEnd(tick)) {
  const { beats } = board
  still = beats === seen ? still + 1 : 0
  if (still === 0) sayAt = ticks
  seen = beats
  if (still < sayAt) continue
  // Again after twice the time, and so on: enough to see that it lasts.
  sayAt = still * 2
  board.blame()
  say()
  // There is no way to run anything in the other thread, so there is no gentler end.
  if (onBlocked === 'exit') process.kill(process.pid, 'SIGKILL')
}

function say(): void {
  if (!lineFields) return
  const fields = { ...lineFields, ...board.last(), running: board.running, blockedMs: still * tick, answer: onBlocked }
  const line = { level: levels[onBlocked], time: Date.now(), ...fields }
  try {
    writeSync(standardError, `${JSON.stringify(line)}\n`)
  } catch {
    // Nobody reads standard error.
  }
}
