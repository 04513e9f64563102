import { expect, test } from 'vitest'
import { createDispositionPace, type Disposition, type DispositionPace } from './disposition-pace.ts'

/** Turns of an event loop that a test makes. */
function turns(): { pace: DispositionPace; next(): void; log: string[]; ask(what: Disposition['kind']): void } {
  const soon: (() => void)[] = []
  const log: string[] = []
  const pace = createDispositionPace({ soon: (callback) => void soon.push(callback) })
  let deliveries = 0
  return {
    pace,
    log,
    next() {
      log.push('|')
      for (const callback of soon.splice(0)) callback()
    },
    ask(kind) {
      const delivery = ++deliveries
      pace.run({ kind, delivery }, () => void log.push(`${kind}-${delivery}`))
    },
  }
}

test('outcomes of one kind share a turn, and no turn holds two kinds', () => {
  const { ask, next, log } = turns()
  for (const what of ['complete', 'complete', 'abandon', 'reject', 'complete', 'complete'] as const) ask(what)
  for (let turn = 0; turn < 4; turn++) next()
  expect(log.join(' ')).toBe('complete-1 complete-2 | abandon-3 | reject-4 | complete-5 complete-6 |')
})

test('those that may not be merged are written from the last to the first, so that none follows upon its neighbour', () => {
  const { ask, next, log } = turns()
  for (let letter = 0; letter < 4; letter++) ask('reject')
  next()
  expect(log.join(' ')).toBe('| reject-4 reject-3 reject-2 reject-1')
})

test('nobody overtakes who waits', () => {
  const { ask, next, log } = turns()
  for (const what of ['abandon', 'reject', 'complete'] as const) ask(what)
  next()
  ask('complete')
  next()
  next()
  expect(log.join(' ')).toBe('| abandon-1 | reject-2 | complete-3 complete-4')
})
