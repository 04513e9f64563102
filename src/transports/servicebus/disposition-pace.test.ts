import { expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
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

/** A link by which messages come when a test says so, and what is written of their completions, with the time. */
function busyLink() {
  const clock = virtualClock()
  const log: string[] = []
  let arrived = 0
  const pace = createDispositionPace(clock, { clock, arrived: () => arrived })
  const ask = (kind: Disposition['kind']): void => {
    const delivery = ++arrived
    pace.run({ kind, delivery }, () => void log.push(`${kind}-${delivery}`))
  }
  return { clock, log, ask, pace }
}

test('while messages come, what is completed closely upon others waits for more, for a moment', async () => {
  const { clock, log, ask } = busyLink()
  ask('complete')
  expect(log).toEqual(['complete-1'])
  await clock.settle()
  ask('complete')
  await clock.settle()
  ask('complete')
  await clock.settle()
  expect(log).toEqual(['complete-1'])
  await clock.advance(1)
  expect(log).toEqual(['complete-1', 'complete-2', 'complete-3'])
})

test('what comes alone, or when nothing has come since, is completed at once', async () => {
  const { clock, log, ask, pace } = busyLink()
  ask('complete')
  await clock.advance(5)
  ask('complete')
  expect(log).toEqual(['complete-1', 'complete-2'])
  await clock.settle()
  pace.run({ kind: 'complete', delivery: 0 }, () => void log.push('an older one'))
  expect(log.at(-1)).toBe('an older one')
})

test('many wait for nobody', async () => {
  const { clock, log, ask } = busyLink()
  ask('complete')
  await clock.settle()
  for (let more = 0; more < 60; more++) ask('complete')
  expect(log).toHaveLength(61)
})

test('what waits for more is not overtaken, and keeps nobody waiting', async () => {
  const { clock, log, ask } = busyLink()
  ask('complete')
  await clock.settle()
  ask('complete')
  ask('abandon')
  ask('complete')
  await clock.settle()
  expect(log).toEqual(['complete-1', 'complete-2', 'abandon-3', 'complete-4'])
})
