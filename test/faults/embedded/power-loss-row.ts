import { whyPowerStaysOn } from '../power-loss.ts'
import { type PowerRound, powerRounds } from './power-rounds.ts'

export type PowerLossOutcome =
  | { readonly notRun: string }
  | { readonly acknowledged: number; readonly lost: number; readonly twinLost: number; readonly refusals: readonly string[] }

/** The embedded queue loses nothing that it acknowledged; a twin that flushes less does, so the run is known to be able to fail. */
export async function powerLossRow(rounds: number): Promise<PowerLossOutcome> {
  const why = whyPowerStaysOn()
  if (why !== undefined) return { notRun: why }
  const real = await powerRounds(rounds, 'full')
  const twin = await powerRounds(Math.min(rounds, 3), 'normal')
  return {
    acknowledged: sum(real, 'acknowledged'),
    lost: sum(real, 'lost'),
    twinLost: sum(twin, 'lost'),
    refusals: real.flatMap(({ refusal }) => refusal ?? []),
  }
}

function sum(rounds: readonly PowerRound[], key: 'acknowledged' | 'lost'): number {
  return rounds.reduce((total, round) => total + round[key], 0)
}
