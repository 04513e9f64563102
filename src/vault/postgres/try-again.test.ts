import { expect, test } from 'vitest'
import { type ErrorCode, RedriveError } from '../../core/errors.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { tryingAgain } from './try-again.ts'
import { vaultErrors } from './vault-errors.ts'

/** What becomes of one transaction that always fails so: how often it was tried, and how long that took. */
async function failing(error: unknown, random = 0): Promise<{ tried: number; took: number; code: ErrorCode }> {
  const clock = virtualClock()
  const begun = clock.now()
  let tried = 0
  const never = async (): Promise<never> => {
    tried++
    throw error
  }
  const within = tryingAgain({ within: never } as unknown as Connections, { clock, random: () => random, tries: 6 })
  let code: ErrorCode | undefined
  void within(async () => {}).catch((thrown: RedriveError) => {
    code = thrown.code
  })
  while (code === undefined) await clock.advance(1)
  return { tried, took: clock.now() - begun, code }
}

const answered = (state: string) => vaultErrors.working(Object.assign(new Error(), { code: state }))

test.each(['40001', '40P01'])('%s is tried again, a bounded number of times, later and later', async (state) => {
  expect(await failing(answered(state))).toEqual({ tried: 6, took: 10 + 30 + 90 + 270 + 500, code: 'refused' })
})

test('chance lengthens the waits, so that two who met do not meet again', async () => {
  expect((await failing(answered('40P01'), 0.5)).took).toBe(15 + 45 + 135 + 405 + 750)
})

test.each([
  ['a mistake in a statement', answered('23505'), 'store-failed'],
  ['a server without memory', answered('53200'), 'refused'],
  ['a server whose disk fails', answered('58030'), 'refused'],
  ['a full disk', answered('53100'), 'store-full'],
  ['no connection left', answered('53300'), 'unreachable'],
  ['a statement that took too long', answered('57014'), 'refused'],
  ['a commit that nobody answered', vaultErrors.committing(new Error('gone')), 'unsure'],
  ['a lost connection', vaultErrors.working(new Error('gone')), 'unreachable'],
  ['what an operation refuses', new RedriveError('conflict', 'no'), 'conflict'],
])('%s is not tried again', async (_, error, code) => {
  expect(await failing(error)).toMatchObject({ tried: 1, code })
})
