/** Hits of mutated places, by the number of the mutant. */
export type Hits = Readonly<Record<string, number>>

/** What one test file touches when nothing is mutated. */
export interface FileSurvey {
  readonly file: string
  /** Touched while modules were evaluated and tests collected, thus by all of its tests. */
  readonly outsideTests: Hits
  readonly tests: readonly TestSurvey[]
  readonly failed?: string
}

export interface TestSurvey {
  readonly id: string
  /** Of the processor, not of the clock: other work on the machine changes nothing. */
  readonly ms: number
  readonly hits: Hits
}

/** One test file, or some of its tests. */
export interface TestRun {
  readonly file: string
  readonly only?: readonly string[]
  readonly except?: readonly string[]
}

export type Question =
  /** Of every `of`-th test file, from `share` on. */
  | { readonly kind: 'survey'; readonly share: number; readonly of: number }
  | { readonly kind: 'try'; readonly mutant: string; readonly runs: readonly TestRun[]; readonly limits: Limits }

/** What takes more than this has no end. */
export interface Limits {
  /** How often the mutated place may be passed. */
  readonly hits: number
  /** Of the processor. */
  readonly ms: number
}

export type Answer =
  | { readonly kind: 'surveyed'; readonly surveys: readonly FileSurvey[] }
  | { readonly kind: 'survived' }
  | { readonly kind: 'killed'; readonly file: string; readonly test: string }
  /** `isGone`: and the process with it. */
  | { readonly kind: 'endless'; readonly isGone?: boolean }

/** What became of a mutant; `untried` when the time was over before its turn came. */
export type Verdict = 'killed' | 'endless' | 'survived' | 'unreached' | 'untried'

export function isDead(verdict: Verdict): boolean {
  return verdict === 'killed' || verdict === 'endless'
}

/** The line between the two threads of a lane. */
export const lineName = 'mutation lane'

/** Names of what the code that Stryker instrumented looks for in the global scope; its own interface between instrumenter and runner. */
export interface StrykerNamespace {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> }
}

/** What the runner of vitest and the loop around it share; they are loaded by different loaders, so it stands in the global scope. */
export interface Notes {
  isWanted: (test: string) => boolean
  failed?: string | undefined
  readonly times: Map<string, number>
}

export const namespaces: { __stryker__?: StrykerNamespace; mutationNotes?: Notes } = globalThis as object

export function strykerNamespace(): StrykerNamespace {
  namespaces.__stryker__ ??= {}
  return namespaces.__stryker__
}

export function notes(): Notes {
  namespaces.mutationNotes ??= { isWanted: () => true, times: new Map() }
  return namespaces.mutationNotes
}

/** What this thread has used of the processor, in milliseconds. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
