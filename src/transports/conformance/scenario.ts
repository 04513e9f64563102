import type { Capabilities } from '../capabilities.ts'
import type { Bench } from './bench.ts'

export const themes = [
  'receive',
  'settle',
  'retry',
  'move',
  'reject',
  'invalid',
  'lanes',
  'send',
  'browse',
  'provision',
  'measure',
  'lifecycle',
  'headers and bytes',
  'crash',
] as const
export type Theme = (typeof themes)[number]

/** One sentence about every transport, and the proof. It is data: the tests, the command line and the twins run the same one. */
export interface Scenario {
  readonly theme: Theme
  readonly name: string
  /** The planted mistakes, by their names among the twins, that this scenario is there to catch. */
  readonly catches: readonly string[]
  /** Which transports can do what the sentence says; the others must do what `otherwise` says. No scenario is ever skipped. */
  readonly needs?: (capabilities: Capabilities) => boolean
  readonly run: (bench: Bench) => Promise<void>
  /** What a transport does that lacks the ability: it refuses, and nothing is lost. */
  readonly otherwise?: (bench: Bench) => Promise<void>
}

/** A scenario for every transport alike. */
type Universal = Omit<Scenario, 'theme' | 'needs' | 'otherwise'>
/** A scenario that asks for an ability says what holds without it. */
type Conditional = Omit<Scenario, 'theme' | 'needs' | 'otherwise'> & Required<Pick<Scenario, 'needs' | 'otherwise'>>

export function scenariosOf(theme: Theme, scenarios: readonly (Universal | Conditional)[]): readonly Scenario[] {
  return scenarios.map((scenario) => ({ theme, ...scenario }))
}
