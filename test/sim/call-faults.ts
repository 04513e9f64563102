import type { Fault, FaultStep, Faults } from '../../src/transports/memory/faults.ts'
import type { Chance } from './seeded-random.ts'

const steps: readonly FaultStep[] = [
  ...(['take', 'extend', 'receive', 'send.before-write', 'send.after-write'] as const),
  ...(['settle.complete', 'settle.retry', 'settle.release', 'settle.move', 'settle.reject'] as const),
  ...(['settle.complete.after-write', 'settle.retry.after-write', 'settle.move.after-write'] as const),
]

/** Every call to the broker may fail before or after it took effect, take long, or lose the connection. */
export function armCallFaults(faults: Faults, chance: Chance, probability: number): void {
  if (probability === 0) return
  for (const step of steps) faults.on(step, () => (chance.happens(probability) ? drawFault(chance) : undefined))
}

function drawFault(chance: Chance): Fault {
  return chance.pick<Fault>([
    { fail: 'unsure' },
    { fail: 'unreachable' },
    { delay: 200 },
    { delay: 5000 },
    { loseConnection: true },
  ])
}
