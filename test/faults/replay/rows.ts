import { seededRandom } from '../../sim/seeded-random.ts'
import { replayPlants } from './plants.ts'
import { replayPoints } from './points.ts'
import { type Death, isSound, type ReplayVerdict, replayKills } from './replay-kills.ts'

export interface ReplayRow {
  readonly name: string
  readonly verdict: ReplayVerdict
  readonly isGood: boolean
}

/** The control plane killed at every step of the ledger and at random moments; and mistakes that must show. */
export async function* replayRows(letters: number, kills: number, seed: number): AsyncGenerator<ReplayRow> {
  for (const at of replayPoints) {
    const verdict = await replayKills({ letters, deaths: [deathAt(at, letters)] })
    yield { name: `control plane killed ${at}`, verdict, isGood: isSound(verdict) && verdict.kills === 1 }
  }
  if (kills > 0) {
    const verdict = await replayKills({ letters, deaths: moments(kills, seed), rate: letters / kills / longestLife })
    yield {
      name: `control plane killed at ${kills} random moments`,
      verdict,
      isGood: isSound(verdict) && verdict.kills === kills,
    }
  }
  for (const plant of replayPlants) {
    const deaths = replayPoints.map((at) => deathAt(at, letters))
    const verdict = await replayKills({ letters, deaths, plant })
    yield { name: `  planted: ${plant} (must be found)`, verdict, isGood: !isSound(verdict) }
  }
}

/** Claims are of a hundred letters and sends of one: the death is to come in the middle of either. */
function deathAt(at: (typeof replayPoints)[number], letters: number): Death {
  return { at, passes: at.includes('send') ? Math.floor(letters / 10) : 1 }
}

/** Seconds after which the last kill of a life comes, and somewhat more. */
const longestLife = 0.3

function moments(count: number, seed: number): readonly Death[] {
  const chance = seededRandom(seed)
  return Array.from({ length: count }, () => ({ afterMs: chance.between(0, 250) }))
}
