import { describe, expect, test } from 'vitest'
import type { Change } from '../control-plane.ts'
import { createSharedChanges, type SharedChanges } from './shared-changes.ts'

/** Two on one vault: what one tells is carried when `carry` is called, and not before. */
function pair() {
  const carried: string[] = []
  let arrive: (() => void) | undefined
  const heard: Change[] = []
  const one = createSharedChanges('one', (text) => {
    carried.push(text)
    return new Promise((resolve) => {
      arrive = resolve
    })
  })
  const other: SharedChanges = createSharedChanges('other', async () => {})
  other.onChange((change) => heard.push(change))
  async function carry(): Promise<void> {
    for (;;) {
      const text = carried.shift()
      if (text === undefined) return
      other.heard(text)
      one.heard(text)
      arrive?.()
      await new Promise(setImmediate)
    }
  }
  return { one, heard, carry, carried }
}

const counts = (sent: number) => ({ sent }) as never

describe('what one control plane tells', () => {
  test('is heard by the others, and once by itself', async () => {
    const { one, heard, carry } = pair()
    const own: Change[] = []
    one.onChange((change) => own.push(change))
    one.tell({ kind: 'cause', cause: 1 })
    await carry()
    expect([own, heard]).toEqual([[{ kind: 'cause', cause: 1 }], [{ kind: 'cause', cause: 1 }]])
  })

  test('while a message is on its way goes with the next one: of the same thing the last, and of letters their sum', async () => {
    const { one, heard, carry, carried } = pair()
    one.tell({ kind: 'silences' })
    for (const sent of [1, 2, 3]) one.tell({ kind: 'replay', replay: 7, counts: counts(sent) })
    for (const letters of [1, 2]) one.tell({ kind: 'letters', source: 1, letters })
    expect(carried).toHaveLength(1)
    await carry()
    expect(heard).toEqual([
      { kind: 'silences' },
      { kind: 'replay', replay: 7, counts: counts(3) },
      { kind: 'letters', source: 1, letters: 3 },
    ])
  })

  test('is never more than a message can hold: what does not fit says that everything is worth a look', async () => {
    const { one, heard, carry, carried } = pair()
    one.tell({ kind: 'silences' })
    one.tell({ kind: 'problem', source: 'é'.repeat(5000), code: 'refused' })
    for (let service = 0; service < 300; service++)
      one.tell({ kind: 'consumer', service: `service ${service} ${'x'.repeat(50)}` })
    const longest: number[] = []
    while (carried.length > 0) {
      longest.push(...carried.map((text) => Buffer.byteLength(text)))
      await carry()
    }
    expect(Math.max(...longest)).toBeLessThan(8000)
    expect(heard.filter(({ kind }) => kind === 'consumer')).toHaveLength(300)
    expect(heard).toContainEqual({ kind: 'reset' })
  })

  test.each(['', 'no json', '{}', '{"from":"other"}'])('%j is none of ours, and is left alone', (text) => {
    const { one } = pair()
    const own: Change[] = []
    one.onChange((change) => own.push(change))
    expect(one.heard(text)).toEqual([])
    expect(own).toEqual([])
  })
})
