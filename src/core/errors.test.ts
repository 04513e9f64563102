import { expect, it } from 'vitest'
import { hasCode, RedriveError } from './errors.ts'

it('an error of ours bears its name, its code, its words and its cause', () => {
  const cause = new Error('why')
  const error = new RedriveError('closed', 'the consumer is stopping', { cause })
  expect(error).toMatchObject({ name: 'RedriveError', code: 'closed', message: 'the consumer is stopping', cause })
})

it('is told from errors of others, and from those with another code', () => {
  const foreign = Object.assign(new Error('closed'), { code: 'closed' })
  const own = new RedriveError('closed', 'closed')
  expect([hasCode(own, 'closed'), hasCode(own, 'refused'), hasCode(foreign, 'closed'), hasCode(null, 'closed')]).toEqual([
    true,
    false,
    false,
    false,
  ])
})
