import { expect, test } from 'vitest'
import type { SendOutcome } from '../../vault/operations/outcomes.ts'
import { createTrouble, type Remedy, type Trouble } from './trouble.ts'

function after(...turns: readonly (readonly SendOutcome['outcome'][])[]): Trouble {
  const trouble = createTrouble()
  for (const turn of turns) trouble.heard(turn.map((outcome, seq) => ({ seq, letter: seq, outcome })))
  return trouble
}

test.each<{ turns: SendOutcome['outcome'][][]; holdsBack: boolean; remedy: Remedy['kind'] }>([
  { turns: [['sent', 'sent']], holdsBack: false, remedy: 'go-on' },
  { turns: [['sent'], ['refused']], holdsBack: false, remedy: 'go-on' },
  { turns: [['unsent']], holdsBack: true, remedy: 'rest' },
  { turns: [['sent', 'unsent']], holdsBack: true, remedy: 'rest' },
  { turns: [['unknown']], holdsBack: true, remedy: 'stop' },
  { turns: [['unknown'], ['unknown', 'unsent']], holdsBack: true, remedy: 'stop' },
  { turns: [['unknown', 'sent']], holdsBack: false, remedy: 'go-on' },
  { turns: [['unknown'], ['sent']], holdsBack: false, remedy: 'go-on' },
])('after $turns it holds back: $holdsBack, and when all have landed the remedy is $remedy', ({ turns, holdsBack, remedy }) => {
  const trouble = after(...turns)
  expect(trouble.holdsBack).toBe(holdsBack)
  expect(trouble.remedy()).toMatchObject({ kind: remedy })
  expect(trouble.holdsBack).toBe(false)
})

test('rests grow while nobody is there, up to half a minute, and begin anew after a letter that was taken', () => {
  const trouble = createTrouble()
  const rest = (): unknown => {
    trouble.heard([{ seq: 0, letter: 0, outcome: 'unsent' }])
    return trouble.remedy()
  }
  const rests = Array.from({ length: 6 }, rest)
  expect(rests).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000].map((ms) => ({ kind: 'rest', ms })))
  trouble.heard([{ seq: 0, letter: 0, outcome: 'sent' }])
  expect(rest()).toEqual({ kind: 'rest', ms: 2000 })
})
