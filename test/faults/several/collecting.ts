import { checkConservation } from '../../../src/ops/conservation.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { deadLetter } from '../../control/letters.fixture.ts'
import { allKept, copiesIn, grave, type House, keptIn, patience, whoCollects } from '../../several/instances.ts'
import type { Chance } from '../../sim/seeded-random.ts'
import { until } from '../../until.ts'
import { crewOf } from './strikes.ts'
import type { SeveralVerdict } from './verdict.ts'

/** Letters come in portions, and each time somewhere within one of them whoever collects is struck. */
export async function collecting(house: House, chance: Chance, letters: number, strikes: number): Promise<SeveralVerdict> {
  const crew = await crewOf(house, chance, whoCollects)
  const portion = Math.floor(letters / (strikes + 1))
  for (let strike = 0; strike < strikes; strike++) {
    await comeAtOnce(house, strike * portion, (strike + 1) * portion)
    const soMany = strike * portion + chance.between(0, portion - 1)
    await until(`${soMany} are kept`, async () => (await keptIn(house)) >= soMany, patience)
    await crew.strike()
  }
  await comeAtOnce(house, strikes * portion, letters)
  await crew.allAwake()
  await allKept(house, letters).catch(() => {})
  const known = await messagesIn(house)
  const left = (await copiesIn(house.transport, grave)).size
  const { holds } = await checkConservation(house.vault, systemClock)
  return {
    all: letters,
    lost: letters - new Set(known).size,
    twice: known.length - new Set(known).size,
    struck: crew.struck,
    note: `${left} left in the queue, conservation ${holds ? 'holds' : 'DOES NOT HOLD'}`,
  }
}

const atOnce = 500

export async function comeAtOnce({ transport }: House, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, to - first) }, (_, n) => first + n)
    await Promise.all(some.map((n) => transport.send({ name: grave }, deadLetter({ n }))))
  }
}

/** Asked of the table itself, and not of whoever counts. */
async function messagesIn({ barely }: House): Promise<readonly string[]> {
  return (await barely<{ message_id: string }>('SELECT message_id FROM letters')).map(({ message_id }) => message_id)
}
