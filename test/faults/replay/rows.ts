import { seededRandom } from '../../sim/seeded-random.ts'
import { rabbitmqArena } from './arena.ts'
import { replayPlants } from './plants.ts'
import { replayPoints } from './points.ts'
import { isSound, type ReplayVerdict, replayKills, type Strike } from './replay-kills.ts'

export interface ReplayRow {
  readonly name: string
  readonly isTwin?: true
  run(): Promise<ReplayVerdict>
  isGood(verdict: ReplayVerdict): boolean
}

/** The control plane killed at every step of the ledger and at random moments; the broker killed under it; and mistakes that must show. */
export function replayRows(letters: number, kills: number, seed: number): readonly ReplayRow[] {
  return [...deathsOfControlPlane(letters, kills, seed), ...plantedBugs(letters), ...deathsOfBroker(letters, kills)]
}

function deathsOfControlPlane(letters: number, kills: number, seed: number): readonly ReplayRow[] {
  const atPoints = replayPoints.map((at) => row(`control plane killed ${at}`, letters, [deathAt(at, letters)]))
  if (kills === 0) return atPoints
  const rate = letters / kills / longestLife
  return [...atPoints, row(`control plane killed at ${kills} random moments`, letters, moments(kills, seed), { rate })]
}

function plantedBugs(letters: number): readonly ReplayRow[] {
  const strikes = replayPoints.map((at) => deathAt(at, letters))
  return replayPlants.map((plant) => twin(plant, () => replayKills({ letters, strikes, plant })))
}

/** On RabbitMQ, one death of the broker for ten of the control plane; in every third the control plane goes as well. */
function deathsOfBroker(letters: number, kills: number): readonly ReplayRow[] {
  const deaths = Math.max(1, Math.round(kills / 10))
  const brokerAfterSent = Math.floor(letters / (deaths + 1) / 2)
  const arena = rabbitmqArena
  const plain = Array.from({ length: deaths }, (_, n): Strike => ({ brokerAfterSent, withControlPlane: n % 3 === 2 }))
  const unheard: readonly Strike[] = [{ losingConfirmsAfter: Math.floor(letters / 4) }]
  // Slow enough that most are still to be sent when the broker is killed.
  const rate = letters / deaths / 5
  return [
    row(`broker killed ${deaths} times while letters are in flight (RabbitMQ 4.0)`, letters, plain, { arena, rate }),
    {
      ...row('broker killed after its confirmations got lost (RabbitMQ 4.0)', letters, unheard, { arena }),
      isGood: (verdict) => isSound(verdict) && verdict.unknown > 0 && verdict.arrivedTwice > 0,
    },
    twin('takes-silence-for-absence', () =>
      replayKills({ letters, strikes: unheard, plant: 'takes-silence-for-absence', arena }),
    ),
  ]
}

function row(
  name: string,
  letters: number,
  strikes: readonly Strike[],
  more: Partial<Parameters<typeof replayKills>[0]> = {},
): ReplayRow {
  return {
    name,
    run: () => replayKills({ letters, strikes, ...more }),
    isGood: (verdict) => isSound(verdict) && verdict.kills === strikes.length,
  }
}

function twin(plant: string, run: ReplayRow['run']): ReplayRow {
  return { name: `  planted: ${plant} (must be found)`, isTwin: true, run, isGood: (verdict) => !isSound(verdict) }
}

/** Claims are of many letters and sends of one: the death is to come in the middle of either. */
function deathAt(at: (typeof replayPoints)[number], letters: number): Strike {
  return { at, passes: at.includes('send') ? Math.floor(letters / 10) : 1 }
}

/** Seconds after which the last kill of a life comes, and somewhat more. */
const longestLife = 1

function moments(count: number, seed: number): readonly Strike[] {
  const chance = seededRandom(seed)
  return Array.from({ length: count }, () => ({ afterMs: chance.between(0, 250) }))
}
