import { setTimeout as sleep } from 'node:timers/promises'
import { type House, type Instance, standsBy, type Who, whoWorks } from '../../several/instances.ts'
import type { Chance } from '../../sim/seeded-random.ts'

/** What befell those that worked, or collected, one after the other. */
export interface Struck {
  kills: number
  freezes: number
  /** From the blow until another one did so. Milliseconds. */
  readonly takeOvers: number[]
}

/** Several control planes, of which whoever works, or collects, is struck. */
export interface Crew {
  readonly struck: Struck
  /** One that answers, now. */
  anyone(): Instance
  strike(): Promise<void>
  /** Resolves when whoever was frozen has woken up, and stands by. */
  allAwake(): Promise<void>
}

/** Longer than any lease, as a machine that swaps or a virtual one that is moved. Milliseconds. */
const frozenFor = 30_000

export async function crewOf(house: House, chance: Chance, who: Who = whoWorks): Promise<Crew> {
  const awake = new Set<Instance>([await house.start(), await house.start(), await house.start()])
  const waking = new Set<Promise<void>>()
  const struck: Struck = { kills: 0, freezes: 0, takeOvers: [] }

  /** It is woken up while the others go on. */
  function freeze(instance: Instance): void {
    instance.freeze()
    const woken = sleep(frozenFor).then(async () => {
      instance.wake()
      await standsBy(instance)
      awake.add(instance)
      waking.delete(woken)
    })
    waking.add(woken)
  }

  return {
    struck,
    anyone() {
      const [one] = awake
      if (!one) throw new Error('Nobody is awake.')
      return one
    },
    async strike() {
      const target = await who([...awake])
      awake.delete(target)
      const isKilled = chance.happens(0.5)
      const struckAt = performance.now()
      if (isKilled) await target.kill()
      else freeze(target)
      struck[isKilled ? 'kills' : 'freezes']++
      // Somebody must be there to take over, and a frozen one comes back by itself.
      if (isKilled || awake.size === 0) awake.add(await house.start())
      await who([...awake])
      struck.takeOvers.push(Math.round(performance.now() - struckAt))
    },
    async allAwake() {
      await Promise.all(waking)
    },
  }
}
