import { describe, expect, test } from 'vitest'
import { letterStates } from '../../src/core/letter-states.ts'
import { sweep } from '../../src/ops/retention.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import type { Vault } from '../../src/vault/vault.ts'
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

describe('between the look at what is old and its removal', () => {
  /** A vault on which something happens right after retention has looked. */
  function meanwhile(vault: Vault, happens: () => Promise<unknown>, change = (input: object) => input): Vault {
    return {
      ...vault,
      read: (async (name: never, input: never) => {
        const found = await vault.read(name, input)
        if (name === 'longestEnded') await happens()
        return found
      }) as Vault['read'],
      write: ((name: never, input: never) => vault.write(name, (input && change(input)) as never)) as Vault['write'],
    }
  }

  async function restored(change?: (input: object) => object): Promise<string> {
    const vault = memoryVault()
    const long = noon - 40 * day
    const letters = await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })], long)
    await vault.write('discardLetters', { letters, now: long })
    const restore = () => vault.write('restoreLetters', { letters, now: noon })
    await sweep({ letters: 30 * day }, meanwhile(vault, restore, change), virtualClock({ start: noon }))
    const shown = await vault.read('showLetter', { id: letters[0] ?? 0 }).catch(() => undefined)
    return shown?.state ?? 'gone'
  }

  test('a letter that somebody restores stays', async () => {
    expect(await restored()).toBe('open')
  })

  test('planted bug: who removes what was found, whatever it is by then, takes an open letter', async () => {
    expect(await restored(({ settledBefore: _, ...input }: { readonly settledBefore?: number }) => input)).toBe('gone')
  })

  test('a letter that somebody has had in hand does not expire', async () => {
    const vault = memoryVault()
    const long = noon - 40 * day
    const letters = await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })], long)
    const handle = async () => {
      await vault.write('discardLetters', { letters, now: noon })
      await vault.write('restoreLetters', { letters, now: noon })
    }
    const swept = await sweep({ open: 30 * day }, meanwhile(vault, handle), virtualClock({ start: noon }))
    expect(swept).toEqual({ expired: 0, purged: 0 })
  })
})

test('only what is settled is ever taken for its age, and everything of it at once', async () => {
  const vault = memoryVault()
  const long = noon - 40 * day
  const letters = await keep(
    vault,
    await sourceIn(vault),
    letterStates.map((_, n) => deadLetter({ n })),
    long,
  )
  for (const [n, state] of letterStates.entries()) {
    await vault.perform((sql) => sql.run('UPDATE letters SET state = ? WHERE id = ?', state, letters[n] ?? 0))
  }
  await sweep({ letters: 30 * day }, vault, virtualClock({ start: noon }))
  const left = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 20 })
  expect(left.map(({ state }) => state).toSorted()).toEqual(['open', 'replaying', 'sent', 'unknown'])
  const words = await vault.perform((sql) => sql.all<{ letter: number }>('SELECT letter FROM contents ORDER BY letter'))
  expect(words.map(({ letter }) => letter)).toEqual(left.map(({ id }) => id).toSorted((one, other) => one - other))
})

test('more letters than one step takes go in several, each from where the last one ended', async () => {
  const vault = memoryVault()
  const long = noon - 40 * day
  const source = await sourceIn(vault)
  const some = Array.from({ length: 600 }, (_, n) => deadLetter({ n }))
  const letters = await keep(vault, source, some, long)
  await vault.write('discardLetters', { letters, now: long })
  const steps: number[] = []
  const counting: Vault = {
    ...vault,
    write: (async (name: never, input?: { readonly letters?: readonly number[] }) => {
      if (input?.letters) steps.push(input.letters.length)
      return vault.write(name, input as never)
    }) as Vault['write'],
  }
  expect(await sweep({ letters: 30 * day }, counting, virtualClock({ start: noon }))).toEqual({ expired: 0, purged: 600 })
  expect(steps).toEqual([500, 100])
  // All of them are found on the broker once more.
  const again = await vault.write('ingest', { source, now: noon, arrivals: some.map((message) => arrival(message)) })
  expect(again.letters.every(({ duplicate }) => duplicate)).toBe(true)
})
