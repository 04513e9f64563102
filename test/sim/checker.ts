import { header, headerText } from '../../src/core/headers.ts'
import { redriveHeaders } from '../../src/core/letter.ts'
import type { Message } from '../../src/core/message.ts'
import { batchesIn } from './batch-handler.ts'
import { breakerViolations, mayBePardoned, spentTurns } from './breaker-checks.ts'
import type { HandOuts } from './hand-outs.ts'
import type { Part, Run } from './script.ts'
import { type SpoolEnding, spoolViolations } from './spool-checks.ts'
import type { Weather } from './weather.ts'

export interface Ending {
  readonly parts: readonly Part[]
  readonly runs: readonly Run[]
  /** How many messages still wait in the work channel. */
  readonly left: number
  readonly deadLetters: readonly Message[]
  readonly invalids: readonly Message[]
  /** A message as it was sent. */
  readonly original: (number: number) => Message
  /** How often everything in hand may have been lost at once: processes that died, connections that broke, calls that failed. */
  readonly shocks: number
  readonly handOuts: HandOuts
  readonly weather: Weather
  /** Whether the log tells of a message that was dropped, as the user asked. */
  readonly isDropped: (message: Message) => boolean
  readonly spool: SpoolEnding
}

/** What is wrong with how a simulation ended, in sentences; nothing when all promises were kept. */
export function violations(ending: Ending): readonly string[] {
  const { parts, left, deadLetters, invalids } = ending
  if (left > 0) return [`did not come to an end: ${left} still wait`]
  if (ending.spool.waiting.length > 0) return [`the spool was not drained: ${ending.spool.waiting.join(', ')}`]
  return [
    ...[...deadLetters, ...invalids].flatMap((letter) => inventionViolations(letter, ending)),
    ...parts.flatMap((part, number) => fateViolations(part, number, ending)),
    ...parts.flatMap((_, number) => letterViolations(`m${number}`, ending)),
    ...ending.runs.filter(({ unfenced }) => unfenced).map(({ number }) => `m${number} ran on where it had been taken away`),
    ...(ending.weather.lanes ? orderViolations(ending.runs) : []),
    ...spoolViolations(ending.spool),
    ...breakerViolations(ending),
  ]
}

/** Every letter is a message that was sent, byte for byte. */
function inventionViolations({ id = '', body }: Message, { parts, original }: Ending): string[] {
  const number = Number(id.slice(1))
  if (!parts[number]) return [`${id} was invented`]
  const sent = original(number).body ?? new Uint8Array()
  return Buffer.from(body ?? []).equals(sent) ? [] : [`${id} has another body than was sent`]
}

/** Copies that a crash left behind are one letter to whoever collects them. */
function letterViolations(id: string, { deadLetters, weather }: Ending): string[] {
  if (weather.deadLettering === 'native') return []
  const names = deadLetters.filter((letter) => letter.id === id).map(({ headers }) => header(headers, redriveHeaders.letter))
  return new Set(names.map((name) => headerText(name ?? ''))).size > 1 ? [`${id} became several letters`] : []
}

function fateViolations(part: Part, number: number, ending: Ending): string[] {
  const { runs, weather, shocks, handOuts } = ending
  const id = `m${number}`
  const own = runs.filter((run) => run.number === number)
  const succeeded = own.some(({ endedAs }) => endedAs === 'succeeded')
  const isDead = ending.deadLetters.some((letter) => letter.id === id)
  const isInvalid = ending.invalids.some((letter) => letter.id === id)
  const spent = spentTurns(own)
  const mayBePoison = looksLikePoison(id, spent, ending)
  const found: string[] = []
  const isDropped = ending.isDropped(ending.original(number))
  if (!succeeded && !isDead && !isInvalid && !isDropped) found.push(`${id} (${part}) was lost`)
  if (isDropped && handOuts.unwrittenLetters(id) === 0) found.push(`${id} (${part}) was dropped though its letter was taken`)
  if (part === 'torn' && (own.length > 0 || !(isInvalid || mayBePoison || isDropped)))
    found.push(`${id} does not decode, and was not put apart as invalid`)
  if (part !== 'torn' && isInvalid) found.push(`${id} (${part}) is valid, and was put among the invalid`)
  if (isDead && part === 'torn' && !mayBePoison) found.push(`${id} does not decode, and was called poison`)
  const failedForGood = weather.outage !== undefined && spent > weather.retries
  if ((isDead || isDropped) && part !== 'torn' && mustLive(part, weather) && !mayBePoison && !failedForGood)
    found.push(`${id} (${part}) was dead-lettered wrongly`)
  // A copy that may have been written and is sent again has all its turns before it.
  const turns = 1 + (1 + weather.retries) * (1 + handOuts.unsureSends(id)) + shocks
  const bound = (1 + weather.immediate) * turns + own.filter(mayBePardoned).length + callsInCompany(number, ending)
  if (own.length > bound) found.push(`${id} (${part}) ran ${own.length} times, more than ${bound}`)
  return found
}

/** In a batch a message is called once more in each of its hand-outs, and again behind each one of its lane that is not done with. */
function callsInCompany(number: number, { runs, weather, handOuts }: Ending): number {
  if (!batchesIn(weather)) return 0
  const lane = runs.find((run) => run.number === number)?.lane
  const ahead = runs.filter((run) => run.number < number && run.lane === lane && lane !== undefined)
  return handOuts.given(`m${number}`) + ahead.length
}

/**
 * Nobody can tell a message from a killer when everybody who held it vanished. The first hand-out that ends in nobody-knows blames
 * nobody; each one after it, alone, counts as a turn. A broker that counts deliveries counts every hand-out; one that only says
 * "redelivered" says it of a release, too, and from then on it runs alone. A run that fails by itself spends a turn as well.
 */
function looksLikePoison(id: string, spent: number, { handOuts, weather }: Ending): boolean {
  const { given, unresolved, released } = handOuts
  const needed = 2 + weather.retries - spent
  const countsDeliveries = weather.family === 'pending' || (weather.family === 'tag' && weather.tagCounts === 'deliveries')
  if (countsDeliveries) return given(id) >= needed
  const looksBegun = weather.family === 'tag' && released(id) > 0 ? 1 : 0
  return unresolved(id) + looksBegun >= needed
}

/** What always succeeds in the end. */
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
