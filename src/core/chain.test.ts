import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chain, type Link } from './chain.ts'

interface Item extends Link<Item> {
  readonly name: string
}

const item = (name: string): Item => ({ name, previous: undefined, next: undefined })
const names = (items: Iterable<Item>): string => Array.from(items, ({ name }) => name).join('')

function chainOf(text: string): { readonly items: Item[]; readonly all: ReturnType<typeof chain<Item>> } {
  const all = chain<Item>()
  const items = text.split('').map(item)
  for (const one of items) all.append(one)
  return { items, all }
}

describe('a chain', () => {
  it('is empty at first', () => {
    const all = chain<Item>()
    expect([all.size, all.first, names(all), all.find(() => true)]).toEqual([0, undefined, '', undefined])
  })

  it('gives its items in the order in which they came', () => {
    const { all } = chainOf('abc')
    expect([names(all), all.size, all.first?.name]).toEqual(['abc', 3, 'a'])
  })

  it('finds the first one that is meant', () => {
    const { all } = chainOf('abca')
    expect(all.find(({ name }) => name > 'a')?.name).toBe('b')
    expect(all.find(({ name }) => name > 'c')).toBeUndefined()
  })

  it.each([
    { removed: 0, left: 'bc' },
    { removed: 1, left: 'ac' },
    { removed: 2, left: 'ab' },
  ])('without its item $removed is $left', ({ removed, left }) => {
    const { all, items } = chainOf('abc')
    const gone = items[removed] as Item
    all.remove(gone)
    all.append(item('d'))
    expect([names(all), all.size, all.first?.name]).toEqual([`${left}d`, 3, left[0]])
    expect([gone.previous, gone.next]).toEqual([undefined, undefined])
  })

  it('can be walked through while each item that it gives is removed', () => {
    const { all } = chainOf('abc')
    let walked = ''
    for (const one of all) {
      walked += one.name
      all.remove(one)
    }
    expect([walked, all.size, all.first]).toEqual(['abc', 0, undefined])
  })

  it('holds what a list would, whatever is added and removed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 9 })), (steps) => {
        const all = chain<Item>()
        const list: Item[] = []
        for (const [index, step] of steps.entries()) {
          const gone = step < list.length ? list.splice(step, 1)[0] : undefined
          if (gone) all.remove(gone)
          else {
            const added = item(String(index))
            list.push(added)
            all.append(added)
          }
          expect([...all]).toEqual(list)
          expect([all.size, all.first]).toEqual([list.length, list[0]])
        }
      }),
    )
  })
})
