import type { Clock } from '../../core/ports.ts'
import type { Destination } from '../../vault/replay-rows.ts'
import type { Vault } from '../../vault/vault.ts'
import { createDrainWatch } from './drain-watch.ts'
import type { TransportNamed } from './send-letter.ts'

/**
 * Letters that were taken up for as long as a failure would need to come back, and have not, are taken to have succeeded. Where what they were sent to
 * is gone for as long, nobody will ever know, and a person has to look.
 */
export interface Assumptions {
  /** Letters are on their way there. */
  expect(destination: Destination): void
  /** Looks, unless that was done a moment ago: between two turns there is no time for it. */
  look(): Promise<void>
}

export interface AssumptionOptions {
  readonly replay: number
  readonly observe: number
  readonly vault: Vault
  readonly clock: Clock
  readonly transportNamed: TransportNamed
}

const lookEvery = 500
/** Letters in one transaction: others have a turn in between. */
const atOnce = 1000

export function createAssumptions({ replay, observe, vault, clock, transportNamed }: AssumptionOptions): Assumptions {
  const drain = createDrainWatch(transportNamed, clock, observe)
  const destinations = new Map<string, Destination>()
  let lookedAt = Number.NEGATIVE_INFINITY
  let knowsEarlier = false

  function expect(destination: Destination): void {
    destinations.set(JSON.stringify(destination), destination)
  }

  /** Where an earlier run sent letters is asked once: that goes through all of them. */
  async function recall(): Promise<void> {
    for (const destination of await vault.read('awaitedDestinations', { replay })) expect(destination)
    knowsEarlier = true
  }

  async function assume(destination: Destination, sentBefore: number): Promise<void> {
    const input = { replay, destination, sentBefore, now: clock.now(), most: atOnce }
    for (let assumed = atOnce; assumed === atOnce; ) assumed = (await vault.write('assumeSuccess', input)).assumed
  }

  async function doubt(destination: Destination): Promise<void> {
    const input = { replay, destination, now: clock.now(), most: atOnce }
    for (let doubted = atOnce; doubted === atOnce; ) doubted = (await vault.write('doubtSent', input)).doubted
  }

  return {
    expect,
    async look() {
      if (clock.monotonic() - lookedAt < lookEvery) return
      lookedAt = clock.monotonic()
      if (!knowsEarlier) await recall()
      for (const destination of destinations.values()) {
        await drain.look(destination)
        const sentBefore = drain.emptyBy(destination, clock.now() - observe)
        if (sentBefore !== undefined) await assume(destination, sentBefore)
        const goneSince = drain.goneSince(destination)
        if (goneSince !== undefined && goneSince <= clock.now() - observe) await doubt(destination)
      }
    },
  }
}
