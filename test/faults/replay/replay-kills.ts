import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mostInFlight } from '../../../src/ops/replay/run-replay.ts'
import { embeddedArena, type ReplayArena } from './arena.ts'
import { type ControlProcess, startControl } from './control-process.ts'
import { linesIn, prepareReplay, sendUnknownAgain } from './ledger-file.ts'
import type { ReplayPlant } from './plants.ts'
import type { ReplayPoint } from './points.ts'

/**
 * What is done to a replay: the control plane dies at a step, or so many milliseconds after it was ready; or the broker dies when so many more
 * letters were sent, perhaps the control plane with it; or it dies after its confirmations got lost, from the so manieth letter on.
 */
export type Strike =
  | { readonly at: ReplayPoint; readonly passes: number }
  | { readonly afterMs: number }
  | { readonly brokerAfterSent: number; readonly withControlPlane?: boolean }
  | { readonly losingConfirmsAfter: number }

export interface ReplayKills {
  readonly letters: number
  readonly strikes: readonly Strike[]
  /** Letters a second: so slow that something is left to do for every life. */
  readonly rate?: number
  readonly plant?: ReplayPlant
  readonly arena?: () => Promise<ReplayArena>
}

export interface ReplayVerdict {
  readonly letters: number
  /** How often something was really killed: it may be through with everything before. */
  readonly kills: number
  /** Neither in the queue nor shown as unknown, in the end nowhere. */
  readonly lost: number
  /** Sent twice or more, and never shown as unknown. */
  readonly twice: number
  /** Shown as unknown. Afterwards a person sends each of them again. */
  readonly unknown: number
  /** Of those, how many had arrived the first time. */
  readonly arrivedTwice: number
  /** The most that one strike left unknown. */
  readonly mostUnknownAtOnce: number
}

export function isSound({ lost, twice, mostUnknownAtOnce }: ReplayVerdict): boolean {
  return lost === 0 && twice === 0 && mostUnknownAtOnce <= mostInFlight
}

/** Replays letters while things die again and again, and asks the queue itself how often each of them arrived. */
export async function replayKills(fault: ReplayKills): Promise<ReplayVerdict> {
  const { letters, strikes, rate = 1_000_000, arena: openArena = embeddedArena } = fault
  const arena = await openArena()
  const folder = mkdtempSync(join(tmpdir(), 'redrive-replay-'))
  const scene = { ...fault, arena, vaultFile: join(folder, 'vault.db'), replay: 0 }
  try {
    const replay = await prepareReplay(scene.vaultFile, letters, rate)
    const { kills, mostUnknownAtOnce, living } = await strikeAll({ ...scene, replay }, strikes)
    await toTheEnd(living ?? start({ ...scene, replay }))
    const shown = new Set(linesIn(scene.vaultFile, replay, "state = 'unknown'").map(({ body }) => body))
    const again = await sendUnknownAgain(scene.vaultFile, replay)
    if (again !== undefined) await toTheEnd(start({ ...scene, replay: again }))
    const arrived = await arena.arrivals()
    const twice = [...arrived].filter(([, times]) => times > 1).map(([body]) => body)
    const numbers = Array.from({ length: letters }, (_, n) => String(n))
    return {
      letters,
      kills,
      lost: numbers.filter((body) => !arrived.has(body)).length,
      twice: twice.filter((body) => !shown.has(body) || (arrived.get(body) ?? 0) > 2).length,
      unknown: shown.size,
      arrivedTwice: twice.length,
      mostUnknownAtOnce,
    }
  } finally {
    await arena.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Scene {
  readonly arena: ReplayArena
  readonly vaultFile: string
  readonly replay: number
  readonly plant?: ReplayPlant
}

interface Struck {
  /** How often something was really killed. */
  readonly kills: number
  readonly mostUnknownAtOnce: number
  /** The control plane that outlived the last strike. */
  readonly living: ControlProcess | undefined
}

async function strikeAll(scene: Scene, strikes: readonly Strike[]): Promise<Struck> {
  let [kills, known, mostUnknownAtOnce] = [0, 0, 0]
  let living: ControlProcess | undefined
  for (const strike of strikes) {
    const control: ControlProcess = living ?? start(scene, fateBy(strike))
    living = undefined
    if ('losingConfirmsAfter' in strike) {
      await killUnheard(scene, control)
      kills++
      living = control
    } else if ('brokerAfterSent' in strike) {
      await killBroker(scene, control, strike)
      kills++
      if (!strike.withControlPlane) living = control
    } else if (await killControl(control, strike)) kills++
    // What is claimed by one that lives is on its way; by one that is dead it is unknown.
    const doubtful = linesIn(scene.vaultFile, scene.replay, living ? "state = 'unknown'" : "state IN ('unknown', 'claimed')")
    mostUnknownAtOnce = Math.max(mostUnknownAtOnce, doubtful.length - known)
    known = doubtful.length
  }
  return { kills, mostUnknownAtOnce, living }
}

interface Fate {
  readonly point?: ReplayPoint
  readonly passes?: number
  readonly diesAfter?: number
}

function fateBy(strike: Strike): Fate {
  if ('losingConfirmsAfter' in strike) return { point: 'before-send', passes: strike.losingConfirmsAfter }
  if ('afterMs' in strike) return { diesAfter: strike.afterMs }
  return 'at' in strike ? { point: strike.at, passes: strike.passes } : {}
}

function start({ arena, vaultFile, replay, plant }: Scene, fate: Fate = {}): ControlProcess {
  return startControl({ vaultFile, connection: arena.connection, replay, ...fate, ...(plant && { plant }) })
}

async function toTheEnd(control: ControlProcess): Promise<void> {
  const code = await control.ended
  if (code !== 0) throw new Error(`The last control plane ended with ${code}.`)
}

/** Tells whether it was still alive. */
async function killControl(
  control: ControlProcess,
  strike: Extract<Strike, { at: ReplayPoint } | { afterMs: number }>,
): Promise<boolean> {
  if ('afterMs' in strike) return (await control.ended) === null
  await control.heard(strike.at)
  return control.kill()
}

/** The broker dies with letters in flight, comes back, and the control plane goes on, or dies while nobody is there. */
async function killBroker(
  scene: Scene,
  control: ControlProcess,
  { brokerAfterSent, withControlPlane }: Extract<Strike, { brokerAfterSent: number }>,
): Promise<void> {
  await control.sent(sentIn(scene) + brokerAfterSent)
  await dieAndComeBack(scene, async () => withControlPlane && control.kill())
  if (!withControlPlane) await control.sent(sentIn(scene) + 1)
}

/** The control plane waits before a letter until confirmations get lost; the broker dies when it has written letters unheard. */
async function killUnheard(scene: Scene, control: ControlProcess): Promise<void> {
  await control.heard('before-send')
  await brokerOf(scene).way.swallow('downstream')
  control.goOn()
  await writtenUnheard(scene)
  await dieAndComeBack(scene)
  await control.sent(sentIn(scene) + 1)
}

async function dieAndComeBack(scene: Scene, meanwhile?: () => Promise<unknown>): Promise<void> {
  const { broker, way } = brokerOf(scene)
  await broker.kill()
  // What the proxy held back must not be heard after all.
  await way.cut()
  await meanwhile?.()
  await way.heal()
  await broker.restart()
}

function brokerOf({ arena: { broker, way } }: Scene): Required<Pick<ReplayArena, 'broker' | 'way'>> {
  if (!broker || !way) throw new Error('There is no broker to kill here.')
  return { broker, way }
}

function sentIn({ vaultFile, replay }: Scene): number {
  return linesIn(vaultFile, replay, "state = 'sent'").length
}

const looksAtRest = 20

/** Letters lie in the queue that the ledger does not know of, and it has learned of none for a while: their confirmations are lost. */
async function writtenUnheard(scene: Scene): Promise<void> {
  for (let [known, looks] = [sentIn(scene), 0]; looks < looksAtRest || (await scene.arena.depth()) <= known; looks++) {
    await sleep(50)
    const sent = sentIn(scene)
    if (sent > known) [known, looks] = [sent, 0]
  }
}
