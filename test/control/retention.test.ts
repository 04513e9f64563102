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

test('a source with a retention of its own keeps to that alone', async () => {
  const vault = memoryVault()
  const clock = virtualClock({ start: noon })
  const long = noon - 40 * day
  const brief = await keep(vault, await sourceIn(vault, 'dlq.clicks'), [deadLetter({ n: 1 })], long)
  const kept = await keep(vault, await sourceIn(vault, 'dlq.orders'), [deadLetter({ n: 2 })], long)
  await vault.write('discardLetters', { letters: [...brief, ...kept], now: long })
  const ofSource = ({ channel }: { readonly channel: string }) => (channel === 'dlq.clicks' ? { letters: day } : undefined)
  expect(await sweep({ letters: 90 * day, ofSource }, vault, clock)).toEqual({ expired: 0, purged: 1 })
  expect(await vault.read('showLetter', { id: kept[0] ?? 0 })).toMatchObject({ state: 'discarded' })
  expect(await sweep({ letters: 30 * day, ofSource: () => ({}) }, vault, clock)).toEqual({ expired: 0, purged: 0 })
})

test('of more letters than may be kept the settled ones go, the oldest first, and open ones never', async () => {
  const vault = memoryVault()
  const clock = virtualClock({ start: noon })
  const source = await sourceIn(vault)
  const letters = await keep(
    vault,
    source,
    [1, 2, 3, 4, 5].map((n) => deadLetter({ n })),
    noon - day,
  )
  for (const [index, id] of [letters[3], letters[1], letters[2]].entries()) {
    await vault.write('discardLetters', { letters: [id ?? 0], now: noon - 1000 + index })
  }
  expect(await sweep({ count: 4 }, vault, clock)).toEqual({ expired: 0, purged: 1 })
  await expect(vault.read('showLetter', { id: letters[3] ?? 0 })).rejects.toMatchObject({ code: 'not-found' })
  expect(await sweep({ count: 1 }, vault, clock)).toEqual({ expired: 0, purged: 2 })
  const left = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 10 })
  expect(left.map(({ id, state }) => `${id} ${state}`)).toEqual([`${letters[4]} open`, `${letters[0]} open`])
})
