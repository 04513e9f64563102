import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { notedTurns, notesLimit, notesSpan } from './commit-notes.ts'
import { createLedger, type Ledger } from './ledger.ts'

const now = 1_000_000

/** Labels name their key by their first letter. */
function filled(
  labels: readonly string[],
  from = 100n,
  metadata: string | null = null,
  isGone: (label: string) => boolean = () => false,
): Ledger<string> {
  const ledger = createLedger<string>(from, metadata, (label) => label.slice(0, 1))
  for (const [index, value] of labels.entries()) if (!isGone(value)) ledger.add({ offset: from + BigInt(index), due: 0, value })
  return ledger
}

function take(ledger: Ledger<string>, max = 100, at = now): string[] {
  return ledger.take(max, at).map(({ value }) => value)
}

/** What the next owner of the partition finds, as `value turns suspect`. */
function afterCrash(ledger: Ledger<string>, labels: readonly string[], parting = false, at = now): string[] {
  const { offset, metadata } = ledger.commit(parting)
  const heir = filled(labels.slice(Number(offset - 100n)), offset, metadata)
  const found: string[] = []
  for (let handed = heir.take(100, at); handed.length > 0; handed = heir.take(100, at))
    found.push(...handed.map(({ value, turns, suspect }) => `${value} ${turns} ${suspect ? 'suspect' : 'new'}`))
  return found
}

describe('the books of a partition', () => {
  it('commit only the gap-free prefix, in whatever order records are settled', () => {
    const ledger = filled(['a', 'b', 'c', 'd'])
    take(ledger)
    ledger.complete(102n)
    expect(ledger.commit(false).offset).toBe(100n)
    ledger.complete(100n)
    expect(ledger.commit(false).offset).toBe(101n)
    ledger.complete(101n)
    expect(ledger.commit(false).offset).toBe(103n)
  })

  it('remember what is done beyond the prefix: it does not come again', () => {
    const labels = ['a', 'b', 'c', 'd']
    const ledger = filled(labels)
    take(ledger, 3)
    ledger.complete(101n)
    ledger.complete(102n)
    expect(afterCrash(ledger, labels)).toEqual(['a 0 suspect', 'd 0 new'])
  })

  it('know each record that is not done, however much is done around it and how often that was told', () => {
    const labels = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const ledger = filled(labels)
    take(ledger, 6)
    for (const offset of [101n, 102n, 104n]) ledger.complete(offset)
    expect(ledger.commit(false)).toEqual({ offset: 100n, metadata: 'redrive1|1+2,1|0,2,1|' })
    for (const offset of [101n, 102n, 104n]) ledger.complete(offset)
    ledger.release(103n)
    expect(ledger.commit(false)).toEqual({ offset: 100n, metadata: 'redrive1|1+2,1|0,4|' })
    expect(take(ledger)).toEqual(['d', 'g'])
    ledger.complete(103n)
    expect(ledger.commit(false)).toEqual({ offset: 100n, metadata: 'redrive1|1+4|0,4+2|' })
    expect(afterCrash(ledger, labels)).toEqual(['a 0 suspect', 'f 0 suspect', 'g 0 suspect'])
    ledger.complete(100n)
    expect(ledger.commit(false)).toEqual({ offset: 105n, metadata: 'redrive1||0+2|' })
  })

  it('make a suspect of everything in hand when its holder dies, and of nothing when it parts', () => {
    const labels = ['a', 'b', 'c']
    const ledger = filled(labels)
    take(ledger, 2)
    expect(afterCrash(ledger, labels)).toEqual(['a 0 suspect', 'b 0 suspect', 'c 0 new'])
    expect(afterCrash(ledger, labels, true)).toEqual(['a 0 new', 'b 0 new', 'c 0 new'])
  })

  it('count a turn for a suspect as soon as it is handed out alone', () => {
    const labels = ['a']
    const first = filled(labels)
    take(first)
    const { offset, metadata } = first.commit(false)
    const second = filled(labels, offset, metadata)
    expect(second.take(10, now)).toEqual([{ offset: 100n, value: 'a', turns: 0, suspect: true }])
    expect(afterCrash(second, labels)).toEqual(['a 1 suspect'])
    expect(afterCrash(second, labels, true)).toEqual(['a 0 suspect'])
  })

  it('a released record has had no turn, and takes its place back', () => {
    const ledger = filled(['a', 'b', 'c'])
    take(ledger, 2)
    ledger.release(101n)
    ledger.release(100n)
    expect(ledger.take(10, now).map(({ value, turns }) => `${value}${turns}`)).toEqual(['a0', 'b0', 'c0'])
  })

  it('a record that waits in its place keeps its key waiting, and nobody else', () => {
    const ledger = filled(['a1', 'b1', 'a2', 'b2'])
    take(ledger, 1)
    expect(ledger.retry(100n, now + 50)).toBe(true)
    expect(take(ledger)).toEqual(['b1', 'b2'])
    expect(ledger.ripensAt()).toBe(now + 50)
    expect(take(ledger, 100, now + 49)).toEqual([])
    expect(ledger.take(100, now + 50).map(({ value, turns }) => `${value} ${turns}`)).toEqual(['a1 1', 'a2 0'])
  })

  it('a record that waits in its place still does after a crash, with its turn and its time', () => {
    const labels = ['a1', 'a2', 'b1']
    const ledger = filled(labels)
    take(ledger, 1)
    ledger.retry(100n, now + 50)
    expect(afterCrash(ledger, labels)).toEqual(['b1 0 new'])
    expect(afterCrash(ledger, labels, false, now + 50)).toEqual(['a1 1 new', 'a2 0 new', 'b1 0 new'])
  })

  it('records whose time has not come are passed over, and their keys are not', () => {
    const ledger = createLedger<string>(0n, null, () => 'k')
    ledger.add({ offset: 0n, due: now + 1000, value: 'later' })
    ledger.add({ offset: 1n, due: now, value: 'ripe' })
    expect(take(ledger)).toEqual(['ripe'])
    expect(take(ledger, 100, now + 1000)).toEqual(['later'])
  })

  it('gaps in the log hold nothing up', () => {
    const ledger = createLedger<string>(0n, null, () => 'k')
    ledger.add({ offset: 3n, due: 0, value: 'a' })
    ledger.fetchedTo(9n)
    expect(ledger.commit(false).offset).toBe(3n)
    take(ledger)
    ledger.complete(3n)
    expect([ledger.commit(false).offset, ledger.next]).toEqual([9n, 9n])
  })

  it('refuse one more retry in place than can be remembered, and forget none', () => {
    const ledger = filled(Array.from({ length: notedTurns + 1 }, (_, index) => `k${index}`))
    const handed = ledger.take(1000, now)
    const taken = handed.map(({ offset }) => ledger.retry(offset, now + 10))
    expect(taken.filter(Boolean)).toHaveLength(notedTurns)
    expect(taken.at(-1)).toBe(false)
    expect(ledger.inHand).toBe(1)
  })

  it('tell nothing any more of records that are gone from the log: others would be taken for them', () => {
    const labels = ['a', 'b', 'c', 'd', 'e']
    const first = filled(labels)
    take(first, 3)
    first.complete(101n)
    first.complete(102n)
    const { offset, metadata } = first.commit(false)
    const second = filled(labels, offset, metadata, (label) => label === 'c')
    expect(take(second, 1)).toEqual(['a'])
    second.complete(100n)
    expect(second.commit(true)).toEqual({ offset: 103n, metadata: 'redrive1' })
    expect(afterCrash(second, labels)).toEqual(['d 0 new', 'e 0 new'])
  })

  it('hand out nothing so far ahead that notes on it might not fit', () => {
    const ledger = filled(Array.from({ length: notesSpan + 50 }, () => 'x'))
    expect(ledger.take(100_000, now)).toHaveLength(notesSpan)
    ledger.complete(100n)
    expect(ledger.take(100_000, now)).toHaveLength(1)
  })

  it('settling what is not in hand changes nothing', () => {
    const ledger = filled(['a'])
    const { version } = ledger
    ledger.complete(100n)
    ledger.release(100n)
    ledger.retry(100n, now)
    expect(ledger.version).toBe(version)
    expect(take(ledger)).toEqual(['a'])
  })
})

const count = 40
const labels = Array.from({ length: count }, (_, index) => `${'abc'[index % 3]}${index}`)
type Act = readonly ['take' | 'complete' | 'release' | 'retry' | 'commit' | 'compact' | 'crash' | 'part', number]
const anyActs: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.tuple(fc.constantFrom('take', 'complete', 'release', 'retry', 'commit', 'compact', 'crash', 'part'), fc.nat(count - 1)),
  { maxLength: 80 },
)

/** A consumer that dies and parts, with what it knows about the world: what is done, and what is left in the end. */
function play(acts: readonly Act[], mistake: (ledger: Ledger<string>) => Ledger<string> = (ledger) => ledger) {
  const done = new Set<string>()
  /** The log has forgotten these. */
  const gone = new Set<string>()
  let repeated = 0
  let longest = 0
  let ledger = mistake(filled(labels, 0n))
  let held: { readonly offset: bigint; readonly value: string }[] = []
  let time = now
  const acting: Readonly<Record<Act[0], (choice: number) => void>> = {
    take(choice) {
      const handed = ledger.take(1 + (choice % 7), time)
      repeated += handed.filter(({ value }) => done.has(value)).length
      held.push(...handed)
    },
    complete: (choice) => withOne(choice, ({ offset, value }) => ledger.complete(offset) ?? done.add(value)),
    release: (choice) => withOne(choice, ({ offset }) => ledger.release(offset)),
    retry: (choice) => withOne(choice, ({ offset }) => ledger.retry(offset, time + choice)),
    commit: () => void ledger.commit(false),
    compact: (choice) => void gone.add([...done][choice % Math.max(1, done.size)] ?? ''),
    crash: () => startAnew(false),
    part: () => startAnew(true),
  }

  function withOne(choice: number, act: (one: { readonly offset: bigint; readonly value: string }) => void): void {
    const one = held[choice % Math.max(1, held.length)]
    held = held.filter((each) => each !== one)
    if (one) act(one)
  }

  function startAnew(parting: boolean): void {
    const { offset, metadata } = ledger.commit(parting)
    longest = Math.max(longest, metadata.length)
    ledger = mistake(filled(labels.slice(Number(offset)), offset, metadata, (label) => gone.has(label)))
    held = []
  }

  for (const [act, choice] of acts) {
    acting[act](choice)
    time += 3
  }
  startAnew(true)
  const left: string[] = []
  for (let handed = take(ledger, count, time + count); handed.length > 0; handed = take(ledger, count, time + count))
    left.push(...handed)
  return { done, repeated, longest, left }
}

/** Nothing is lost, nothing that is done comes again, the order of keys stands, and the notes fit. */
const holds = (mistake?: (ledger: Ledger<string>) => Ledger<string>) =>
  fc.property(anyActs, (acts) => {
    const { done, repeated, longest, left } = play(acts, mistake)
    expect(left).toEqual(labels.filter((label) => !done.has(label)))
    expect(repeated).toBe(0)
    expect(longest).toBeLessThanOrEqual(notesLimit)
  })

describe('the books of a partition, whatever happens', () => {
  it('lose nothing, repeat nothing that was done, keep the order of keys, and always fit', () => {
    fc.assert(holds(), { numRuns: 500 })
  })

  it.each<[string, (ledger: Ledger<string>) => Ledger<string>]>([
    ['commits past what is in hand', (ledger) => changed(ledger, { commit: () => ({ offset: ledger.next, metadata: '' }) })],
    [
      'forgets what is done beyond the offset',
      (ledger) => changed(ledger, { commit: () => ({ ...ledger.commit(false), metadata: '' }) }),
    ],
    [
      'forgets with a commit what it handed out',
      (ledger) => {
        let told = false
        return changed(ledger, {
          commit: (parting) => {
            told = true
            return ledger.commit(parting)
          },
          complete: (offset) => (told ? undefined : ledger.complete(offset)),
        })
      },
    ],
    ['takes a release for done', (ledger) => changed(ledger, { release: (offset) => ledger.complete(offset) })],
  ])('would be found out if they had a mistake: one that %s', (_, mistake) => {
    expect(() => fc.assert(holds(mistake), { numRuns: 500 })).toThrow()
  })
})

/** Getters stay what they are. */
function changed(ledger: Ledger<string>, change: Partial<Ledger<string>>): Ledger<string> {
  return Object.assign(Object.create(ledger), change)
}
