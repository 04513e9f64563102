import type { FileSurvey, Hits, TestRun, TestSurvey } from './protocol.ts'

/** The tests that are asked about a mutant, most promising first, and what they cost when nothing is mutated. */
export interface MutantPlan {
  readonly runs: readonly TestRun[]
  readonly hits: number
  readonly ms: number
}

interface PricedRun {
  readonly run: TestRun
  readonly hits: number
  readonly ms: number
}

/**
 * Nobody is asked for ever. A handful of tests, most of them with generated values, take longer than all others together: they are only
 * asked about mutants in the file that they stand beside, and about those that nobody else touches. Of the others, those that come first are
 * asked, as many as fit. What survives then might not survive them all, so the score is at worst too low.
 */
const dearMs = 100
const budgetMs = 250

/** Test files by name: the one beside the mutant's source, and who killed its neighbour. They come first, then the cheapest. */
export interface Favourites {
  readonly own?: string | undefined
  readonly latest?: string | undefined
}

export function planFor(mutant: string, surveys: readonly FileSurvey[], { own, latest }: Favourites): MutantPlan {
  const rank = ({ run, ms }: PricedRun): number => (run.file === own ? -2 : run.file === latest ? -1 : ms)
  const runs = (isAsked: (test: TestSurvey, file: string) => boolean): readonly PricedRun[] =>
    surveys
      .flatMap((survey) => runOf(mutant, survey, (test) => isAsked(test, survey.file)) ?? [])
      .sort((a, b) => rank(a) - rank(b))
  const cheap = runs(({ ms }, file) => ms < dearMs || file === own)
  const asked = withinBudget(cheap.length > 0 ? cheap : runs(() => true))
  const sum = (part: (run: PricedRun) => number): number => asked.reduce((total, run) => total + part(run), 0)
  return { runs: asked.map(({ run }) => run), hits: sum(({ hits }) => hits), ms: sum(({ ms }) => ms) }
}

function withinBudget(runs: readonly PricedRun[]): readonly PricedRun[] {
  let spent = 0
  return runs.filter(({ ms }, index) => {
    spent += ms
    return index === 0 || spent <= budgetMs
  })
}

/** What is touched while modules are evaluated and tests collected concerns all tests of the file, also some that only the mutant makes. */
function runOf(mutant: string, survey: FileSurvey, isAsked: (test: TestSurvey) => boolean): PricedRun | undefined {
  const { file, outsideTests, tests } = survey
  const outside = hitsOf(mutant, outsideTests)
  const touching = tests.filter(({ hits }) => outside > 0 || hitsOf(mutant, hits) > 0)
  const asked = touching.filter(isAsked)
  if (asked.length === 0) return undefined
  const left = touching.filter((test) => !isAsked(test))
  const run = outside > 0 ? { file, except: ids(left) } : { file, only: ids(asked) }
  const hits = asked.reduce((total, test) => total + hitsOf(mutant, test.hits), outside)
  return { run, hits, ms: loadingMs + asked.reduce((total, { ms }) => total + ms, 0) }
}

/** Evaluating the modules of one test file. */
const loadingMs = 5

function hitsOf(mutant: string, hits: Hits): number {
  return hits[mutant] ?? 0
}

function ids(tests: readonly TestSurvey[]): readonly string[] {
  return tests.map(({ id }) => id)
}
