import { barrierPoints } from './barriers.ts'
import { type Kill, type KillResult, killRun } from './kill-run.ts'
import type { Arena } from './subjects.ts'

/** One fault: what is done to a consumer while messages flow, and what the observers say afterwards. */
export interface FaultRow {
  readonly name: string
  run(subject: string, arena: Arena, messages: number): Promise<KillResult>
}

const prefetch = 200

const killsAtPoints: readonly FaultRow[] = barrierPoints.map((at) => ({
  name: `consumer killed ${at}`,
  run: (subject, arena, messages) =>
    killRun({ subject, messages, prefetch, kills: [{ at, passes: passesFor(at, messages) }] }, arena),
}))

/** One message in ten retries and one in ten dies, so those points see fewer of them before the share that is sent runs out. */
function passesFor(point: string, messages: number): number {
  const share = messages / 2
  return Math.floor(/retry|letter/.test(point) ? share / 25 : share / 2)
}

/** So many kills at moments that are spread over the first tenth of a second of each consumer's life. */
export function randomKills(kills: number, seed: number): FaultRow {
  return {
    name: `consumer killed at ${kills} random moments`,
    run: (subject, arena, messages) => killRun({ subject, messages, prefetch, kills: momentsFrom(kills, seed) }, arena),
  }
}

const crashingMessage: FaultRow = {
  name: 'a message that kills every consumer, among 200 in hand',
  run: (subject, arena, messages) =>
    killRun({ subject, messages, prefetch, kills: [], crashing: Math.floor(messages * 0.8) }, arena),
}

export function faultRows(kills: number, seed: number): readonly FaultRow[] {
  return [...killsAtPoints, randomKills(kills, seed), crashingMessage]
}

/** A linear congruential generator: the same seed gives the same moments everywhere. */
function momentsFrom(count: number, seed: number): readonly Kill[] {
  let state = seed >>> 0
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return { afterMs: Math.floor((state / 2 ** 32) * 100) }
  })
}
