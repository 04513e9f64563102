import type { Operation } from '../sql.ts'
import { countLedger } from './ledger-counts.ts'
import { findReplay, requireState, setState } from './replay-state.ts'

interface Command {
  readonly replay: number
  readonly now: number
}

export const pauseReplay: Operation<Command, undefined> = async (sql, { replay, now }) => {
  requireState(await findReplay(sql, replay), ['running'], 'pause')
  return setState(sql, replay, 'paused', now)
}

/** Whoever resumes it has seen what came back: the canary starts anew, and judges only what happens from now on. */
export const resumeReplay: Operation<Command, undefined> = async (sql, { replay, now }) => {
  requireState(await findReplay(sql, replay), ['paused', 'stopped'], 'resume')
  const counts = await countLedger(sql, { replay })
  await sql.run('UPDATE replays SET counts_at_resume = ? WHERE id = ?', JSON.stringify(counts), replay)
  return setState(sql, replay, 'running', now)
}

export const stopReplay: Operation<Command & { readonly because: string }, undefined> = async (sql, { replay, now, because }) => {
  requireState(await findReplay(sql, replay), ['running'], 'stop')
  return setState(sql, replay, 'stopped', now, because)
}

export const finishReplay: Operation<Command, undefined> = async (sql, { replay, now }) => {
  requireState(await findReplay(sql, replay), ['running'], 'finish')
  return setState(sql, replay, 'done', now)
}
