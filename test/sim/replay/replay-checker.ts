import { letterStates } from '../../../src/core/letter-states.ts'
import type { Letter } from '../../../src/vault/operations/letters.ts'
import type { LedgerLine } from '../../../src/vault/operations/replays.ts'
import type { Replay } from '../../../src/vault/replay-rows.ts'
import type { Vault } from '../../../src/vault/vault.ts'
import type { People } from './people.ts'
import type { ReplayArrival } from './replay-broker.ts'
import type { ReplayWeather } from './replay-weather.ts'

export interface ReplayEnding {
  readonly vault: Vault
  readonly arrivals: readonly ReplayArrival[]
  readonly people: People
  readonly weather: ReplayWeather
}

interface Books {
  readonly letters: readonly Letter[]
  readonly replays: readonly { readonly replay: Replay; readonly lines: readonly LedgerLine[] }[]
}

/** What is wrong with how a simulation ended, in sentences: what the books say, beside what the broker has seen. */
export async function replayViolations(ending: ReplayEnding): Promise<readonly string[]> {
  const { vault } = ending
  const letters = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 10_000 })
  const listed = await vault.read('listReplays', { limit: 1000 })
  const replays = await Promise.all(
    listed.map(async (replay) => ({
      replay,
      lines: await vault.read('readLedger', { replay: replay.id, after: -1, limit: 10_000 }),
    })),
  )
  const books = { letters, replays }
  return [
    ...unfinished(books),
    ...sentUnseen(books, ending),
    ...lost(books, ending),
    ...untold(books, ending),
    ...overtaken(books, ending),
    ...overstepped(books, ending),
    ...(await miscounted(books, ending)),
  ]
}

function unfinished({ letters }: Books): readonly string[] {
  const stuck = letters.filter(({ state }) => state === 'replaying' || state === 'sent')
  return stuck.map(({ id, state }) => `letter ${id} is still ${state}`)
}

/** A letter arrives once, and once more only for each time that a person saw it as unknown and chose so. */
function sentUnseen({ letters }: Books, { arrivals, people }: ReplayEnding): readonly string[] {
  return letters.flatMap((letter) => {
    const times = arrivals.filter((arrival) => isOf(arrival, letter)).length
    const allowed = 1 + (people.sentAgain.get(letter.id) ?? 0)
    return times > allowed ? [`letter ${letter.id} was sent ${times} times, and may be ${allowed} times`] : []
  })
}

const arrivedStates = new Set(['sent', 'assumed', 'succeeded', 'returned'])

function lost({ letters, replays }: Books, { arrivals }: ReplayEnding): readonly string[] {
  const byId = new Map(letters.map((letter) => [letter.id, letter]))
  return replays.flatMap(({ replay, lines }) =>
    lines
      .filter(({ state }) => arrivedStates.has(state))
      .filter((line) => {
        const letter = byId.get(line.letter)
        return !letter || !arrivals.some((arrival) => arrival.replay === replay.id && isOf(arrival, letter))
      })
      .map((line) => `letter ${line.letter} is ${line.state} in replay ${replay.id}, and never arrived`),
  )
}

/** What failed again is told as returned, and not as a success. */
function untold({ letters, replays }: Books, { arrivals }: ReplayEnding): readonly string[] {
  const failed = arrivals.filter(({ fate }) => fate === 'failed')
  return failed.flatMap((arrival) => {
    const letter = letters.find((each) => isOf(arrival, each))
    const lines = replays.find(({ replay }) => replay.id === arrival.replay)?.lines ?? []
    const line = lines.find((each) => each.letter === letter?.id)
    return line?.state === 'returned'
      ? []
      : [`letter ${letter?.id} came back from replay ${arrival.replay}, which says ${line?.state}`]
  })
}

/** Letters of one key arrive in the order of the plan. */
function overtaken({ letters, replays }: Books, { arrivals }: ReplayEnding): readonly string[] {
  return replays.flatMap(({ replay, lines }) => {
    const own = arrivals.filter((arrival) => arrival.replay === replay.id)
    const places = own.map((arrival) => {
      const letter = letters.find((each) => isOf(arrival, each))
      return { key: letter?.key, seq: lines.find((line) => line.letter === letter?.id)?.seq ?? -1 }
    })
    return places.flatMap(({ key, seq }, index) =>
      typeof key === 'string' && places.slice(0, index).some((earlier) => earlier.key === key && earlier.seq > seq)
        ? [`a letter of key ${key} was overtaken in replay ${replay.id}`]
        : [],
    )
  })
}

/** Where nothing can succeed, no more than the canary's first step is sent; who resumes a replay lets a new canary go. */
function overstepped({ replays }: Books, { arrivals, people, weather }: ReplayEnding): readonly string[] {
  const { canary, handler } = weather
  if (!canary || handler !== 'fails') return []
  return replays.flatMap(({ replay: { id } }) => {
    const sent = arrivals.filter(({ replay }) => replay === id).length
    return sent > canary.first && !people.resumed.has(id)
      ? [`the canary of replay ${id} was ${sent} letters, and not ${canary.first}`]
      : []
  })
}

/** What is counted beside the books is what stands in them. */
async function miscounted({ letters, replays }: Books, { vault }: ReplayEnding): Promise<readonly string[]> {
  const found: string[] = []
  const [source] = await vault.read('listSources', undefined)
  for (const state of letterStates) {
    const own = letters.filter((letter) => letter.state === state).length
    const counted = source?.letters[state] ?? 0
    if (counted !== own) found.push(`${counted} letters are counted as ${state}, and there are ${own}`)
  }
  for (const { replay, lines } of replays) {
    const counts = await vault.read('countLedger', { replay: replay.id })
    for (const [state, counted] of Object.entries(counts)) {
      const own = lines.filter((line) => line.state === state).length
      if (counted !== own) found.push(`replay ${replay.id} counts ${counted} as ${state}, and there are ${own}`)
    }
  }
  return found
}

/** A replayed message bears the name of its letter and the generation that it would be if it died. */
function isOf({ name, generation }: ReplayArrival, letter: Letter): boolean {
  return letter.letter === name && letter.generation + 1 === generation
}
