import type { Part, Run } from './script.ts'
import type { Weather } from './weather.ts'

export interface Ending {
  readonly parts: readonly Part[]
  readonly runs: readonly Run[]
  /** Message ids in each channel at the end. */
  readonly work: readonly string[]
  readonly deadLetter: readonly string[]
  readonly invalid: readonly string[]
  /** How often everything in hand may have been lost at once: processes that died, connections that broke, calls that failed. */
  readonly shocks: number
  /** Hand-outs of a message of which nobody knows how they ended. */
  readonly unresolved: (id: string) => number
  readonly weather: Weather
}

/** What is wrong with how a simulation ended, in sentences; nothing when all promises were kept. */
export function violations(ending: Ending): readonly string[] {
  const { parts, work, deadLetter, invalid } = ending
  if (work.length > 0) return [`did not come to an end: ${work.join(', ')} still wait`]
  const known = new Set(parts.map((_, number) => `m${number}`))
  return [
    ...[...deadLetter, ...invalid].filter((id) => !known.has(id)).map((id) => `${id} was invented`),
    ...parts.flatMap((part, number) => fateViolations(part, number, ending)),
    ...orderViolations(ending.runs),
  ]
}

function fateViolations(part: Part, number: number, ending: Ending): string[] {
  const { deadLetter, invalid, runs, weather, shocks, unresolved } = ending
  const id = `m${number}`
  const own = runs.filter((run) => run.number === number)
  const succeeded = own.some(({ endedAs }) => endedAs === 'succeeded')
  const inGrave = { dead: deadLetter.includes(id), invalid: invalid.includes(id) }
  const found: string[] = []
  if (!succeeded && !inGrave.dead && !inGrave.invalid) found.push(`${id} (${part}) was lost`)
  // The first hand-out that ends in nobody-knows blames nobody; each one after it, alone, counts as a turn.
  const mayBePoison = unresolved(id) >= 2 + weather.retries
  if (part === 'torn' && (own.length > 0 || !(inGrave.invalid || mayBePoison)))
    found.push(`${id} does not decode, and was not put apart as invalid`)
  if (part !== 'torn' && inGrave.invalid) found.push(`${id} (${part}) is valid, and was put among the invalid`)
  if (inGrave.dead && part === 'torn' && !mayBePoison) found.push(`${id} does not decode, and was called poison`)
  if (inGrave.dead && part !== 'torn' && mustLive(part, weather) && !mayBePoison)
    found.push(`${id} (${part}) was dead-lettered wrongly`)
  const bound = (1 + weather.immediate) * (2 + weather.retries + shocks)
  if (own.length > bound) found.push(`${id} (${part}) ran ${own.length} times, more than ${bound}`)
  return found
}

/** What always succeeds in the end may die only as poison: nobody can tell it from a killer when everybody who held it vanished. */
function mustLive(part: Part, { retries, immediate }: Weather): boolean {
  return part === 'good' || part === 'slow' || (part === 'flaky' && (immediate > 0 || retries > 2))
}

/** A message of a lane does not run for the first time after a later one has. */
function orderViolations(runs: readonly Run[]): string[] {
  const furthest = new Map<string, number>()
  const started = new Set<number>()
  const found: string[] = []
  for (const { number, lane } of runs) {
    const before = lane === undefined ? -1 : (furthest.get(lane) ?? -1)
    if (number < before && !started.has(number)) found.push(`m${number} of ${lane} ran after m${before}`)
    if (lane !== undefined) furthest.set(lane, Math.max(before, number))
    started.add(number)
  }
  return found
}
