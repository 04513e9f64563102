import { expect, test } from 'vitest'
import { sweep } from '../../src/ops/retention.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { arrival, deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'

const day = 24 * 3_600_000

test('what is settled goes when it is older than it may be, and what is open expires first', async () => {
  const vault = memoryVault()
  const clock = virtualClock({ start: noon })
  const source = await sourceIn(vault)
  const long = noon - 40 * day
  const old = await keep(
    vault,
    source,
    [1, 2, 3].map((n) => deadLetter({ n })),
    long,
  )
  await keep(
    vault,
    source,
    [4, 5].map((n) => deadLetter({ n, failedAt: long })),
    noon - day,
  )
  await vault.write('discardLetters', { letters: old.slice(0, 1), now: long })
  const states = async () =>
    (await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 10 })).map(({ state }) => state)

  expect(await sweep({}, vault, clock)).toEqual({ expired: 0, purged: 0 })
  expect(await sweep({ letters: 30 * day }, vault, clock)).toEqual({ expired: 0, purged: 1 })
  // Letters that failed long ago and came yesterday stay: nobody has had time to look at them.
  expect(await sweep({ letters: 30 * day, open: 35 * day }, vault, clock)).toEqual({ expired: 2, purged: 0 })
  expect(await states()).toEqual(['open', 'open', 'expired', 'expired'])
  await clock.advance(30 * day + 1)
  expect(await sweep({ letters: 30 * day }, vault, clock)).toEqual({ expired: 0, purged: 2 })
  expect(await states()).toEqual(['open', 'open'])

  // What was purged and is found on the broker once more is no new letter.
  const again = await vault.write('ingest', { source, now: noon, arrivals: [arrival(deadLetter({ n: 1 }))] })
  expect(again.letters).toMatchObject([{ duplicate: true }])
  expect(await states()).toEqual(['open', 'open'])
})

test('what was discarded a moment ago can be restored, however old it is', async () => {
  const vault = memoryVault()
  const letters = await keep(vault, await sourceIn(vault), [deadLetter({ n: 1, failedAt: noon - 400 * day })], noon - 300 * day)
  await vault.write('discardLetters', { letters, now: noon })
  await sweep({ letters: 30 * day }, vault, virtualClock({ start: noon }))
  expect(await vault.write('restoreLetters', { letters, now: noon })).toEqual({ letters: 1 })
})
