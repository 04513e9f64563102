import { expect, test } from 'vitest'
import { deskWith } from '../../../test/control/desk.fixture.ts'
import { deadLetter } from '../../../test/control/letters.fixture.ts'

const some = (...numbers: readonly number[]) => numbers.map((n) => deadLetter({ n }))

test.each([
  ['a vault', {}],
  ['a server', { REDRIVE_SERVER: 'http://127.0.0.1:1', REDRIVE_TOKEN: 't' }],
])('a configuration that is named is worked on, although the environment names %s', async (_what, environment) => {
  const staging = await deskWith({ letters: some(1) })
  const here = await deskWith({ letters: some(2, 3), environment })
  here.write('staging.yaml', `vault: ${staging.file}`)
  const purged = await here.redrive('purge', 'state:open', '--confirm', '1', '--config', 'staging.yaml')
  expect(purged).toEqual({ status: 0, out: '1 letter purged\n', err: '' })
  expect((await staging.redrive('letters', '--jsonl')).out).toBe('')
  expect((await here.redrive('letters', '--jsonl', '--vault', here.file)).out.trim().split('\n')).toHaveLength(2)
})

test('a vault that is named goes before the configuration that is named beside it', async () => {
  const named = await deskWith({ letters: some(1) })
  const here = await deskWith({ letters: some(2, 3) })
  here.write('other.yaml', `vault: ${here.file}`)
  const listed = await here.redrive('letters', '--jsonl', '--config', 'other.yaml', '--vault', named.file)
  expect(listed.out.trim().split('\n')).toHaveLength(1)
})

test('the configuration of the folder gives way to the environment, which somebody set for this', async () => {
  const meant = await deskWith({ letters: some(1) })
  const here = await deskWith({ letters: some(2, 3), environment: { REDRIVE_VAULT: meant.file } })
  here.write('redrive.yaml', `vault: ${here.file}`)
  expect((await here.redrive('letters', '--jsonl')).out.trim().split('\n')).toHaveLength(1)
})
