import type { RunningControlPlane } from '../../../src/ops/create-control-plane.ts'
import type { Vault } from '../../../src/vault/vault.ts'
import type { Chance } from '../seeded-random.ts'
import type { ReplayWeather } from './replay-weather.ts'

/** What two operators do to replays, at the same time and without asking each other. */
export interface People {
  /** One of them replays everything that is open; often the other does so, too. */
  replay(plane: RunningControlPlane): void
  meddle(plane: RunningControlPlane): Promise<void>
  /** Looks at what is unknown, and says for each of them that it is to be sent again, or that it has arrived. */
  decide(): Promise<void>
  /** How often somebody saw that a letter was unknown and had it sent again, by its id. */
  readonly sentAgain: ReadonlyMap<number, number>
  readonly resumed: ReadonlySet<number>
}

export const observe = 5000

export function createPeople(vault: Vault, chance: Chance, { canary, rate }: ReplayWeather, now: () => number): People {
  const sentAgain = new Map<number, number>()
  const resumed = new Set<number>()

  async function sealAndStart(plane: RunningControlPlane, actor: string): Promise<void> {
    const wishes = { name: 'again', actor, rate, canary, observe }
    const { replay } = await plane.replays.seal({ filter: 'state:open' }, wishes)
    await plane.replays.start(replay.id, { actor })
  }

  return {
    sentAgain,
    resumed,
    replay(plane) {
      ignore(sealAndStart(plane, 'ana'))
      if (chance.happens(0.5)) ignore(sealAndStart(plane, 'bo'))
    },
    async meddle(plane) {
      const replays = await vault.read('listReplays', { limit: 100 })
      const chosen = replays[chance.between(0, Math.max(0, replays.length - 1))]
      if (!chosen) return
      const verb = chance.pick<'pause' | 'resume' | 'cancel'>(['pause', 'resume', 'resume', 'cancel'])
      if (verb === 'resume') resumed.add(chosen.id)
      ignore(plane.replays[verb](chosen.id, { actor: 'bo' }))
    },
    async decide() {
      const condition = { where: "letters.state = 'unknown'", parameters: [] }
      for (const { id } of await vault.read('findLetters', { condition, limit: 100 })) {
        const verdict = chance.pick<'open' | 'assumed'>(['open', 'assumed'])
        const { letters } = await vault.write('decideUnknown', { letters: [id], verdict, now: now() })
        if (letters === 1 && verdict === 'open') sentAgain.set(id, (sentAgain.get(id) ?? 0) + 1)
      }
    },
  }
}

/** A refusal is an answer, and one who died gives none. */
function ignore(asked: Promise<unknown>): void {
  asked.catch(() => {})
}
