import { allKept, copiesIn, type House, type Instance, isSent, origin, patience, sendBack } from '../../several/instances.ts'
import type { Chance } from '../../sim/seeded-random.ts'
import { until } from '../../until.ts'
import { comeAtOnce } from './collecting.ts'
import { crewOf } from './strikes.ts'
import type { SeveralVerdict } from './verdict.ts'

/** What is done to the queue that letters are sent to, before it is looked at. */
export type Meddle = (house: House) => Promise<void>

/**
 * A replay is asked of any of them; somewhere within it whoever sends is struck, again and again. In the end a person looks which of the unknown
 * letters have arrived, and sends the others again: then every letter is to lie there once.
 */
export async function replaying(
  house: House,
  chance: Chance,
  { letters, strikes, meddle }: { readonly letters: number; readonly strikes: number; readonly meddle?: Meddle },
): Promise<SeveralVerdict> {
  const crew = await crewOf(house, chance)
  await comeAtOnce(house, 0, letters)
  await allKept(house, letters)
  const replay = await sendBack(crew.anyone(), ratePerSecond)
  const moments = Array.from({ length: strikes }, () => chance.between(1, letters - 1)).toSorted((one, other) => one - other)
  for (const moment of moments) {
    await until(`${moment} have been sent`, async () => (await done(house, replay, letters)) >= moment, patience)
    await crew.strike()
  }
  await isSent(crew.anyone(), replay)
  await crew.allAwake()
  const unknown = await sendMissing(house, crew.anyone())
  await meddle?.(house)
  const copies = [...(await copiesIn(house.transport, origin)).values()]
  return {
    all: letters,
    lost: letters - copies.length,
    twice: copies.filter((count) => count > 1).length,
    struck: crew.struck,
    note: `${unknown.all} were unknown, ${unknown.missing} of them had not arrived and were sent again`,
  }
}

/** Slow enough that most are still to be sent when somebody is struck. */
const ratePerSecond = 400

async function done({ vault }: House, replay: number, letters: number): Promise<number> {
  return letters - (await vault.read('countLedger', { replay })).planned
}

async function sendMissing(house: House, { plane }: Instance): Promise<{ readonly all: number; readonly missing: number }> {
  const arrived = await copiesIn(house.transport, origin)
  let [all, missing] = [0, 0]
  for (;;) {
    const { letters } = await plane.letters.find({ filter: 'state:unknown', limit: 200 })
    if (letters.length === 0) break
    const absent = letters.filter(({ messageId }) => !arrived.has(Number(messageId?.split('-')[1]))).map(({ id }) => id)
    const there = letters.map(({ id }) => id).filter((id) => !absent.includes(id))
    await plane.replays.decideUnknown(absent, 'open', { actor: 'ana' })
    await plane.replays.decideUnknown(there, 'assumed', { actor: 'ana' })
    all += letters.length
    missing += absent.length
  }
  if (missing > 0) await isSent({ plane }, await sendBack({ plane }, ratePerSecond))
  return { all, missing }
}
