import { expect, test } from 'vitest'
import { deskWith, json } from '../../../test/control/desk.fixture.ts'
import { deadLetter } from '../../../test/control/letters.fixture.ts'
import type { CauseDetail } from '../../ops/control-plane.ts'

const letters = [
  deadLetter({ n: 1, error: 'the vault is shut', service: 'till' }),
  deadLetter({ n: 2, error: 'the vault is shut', service: 'desk' }),
  deadLetter({ n: 3, error: 'le coffre est clos' }),
]
const because = ['--reason', 'the same bank']

test('causes are merged, told with who and why, and undone', async () => {
  const here = await deskWith({ letters })
  const merged = await here.redrive('causes', 'merge', '1', '2', ...because)
  expect(merged).toMatchObject({ status: 0, out: expect.stringMatching(/^cause 1 .*: 3 unresolved of 3 \(decision 1\)\n$/) })
  const { out } = await here.redrive('cause', '1')
  expect(out).toMatch(/merged from 2 .*le coffre est clos.*, by ana because the same bank/)
  expect((await here.redrive('causes')).out).not.toContain('coffre')
  expect(await here.redrive('causes', 'merge', '1', '2', ...because)).toMatchObject({ err: expect.stringContaining('conflict') })
  expect(await json<CauseDetail>(here, 'causes', 'undo', '1', '--reason', 'two banks')).toMatchObject({
    cause: { id: 1, total: 2 },
  })
  expect((await here.redrive('cause', '1')).out).toContain('undone by ana because two banks')
  expect((await here.redrive('causes')).out).toContain('coffre')
})

test('letters are split off, and nothing is left half done when the command ends', async () => {
  const here = await deskWith({ letters })
  const split = await json<CauseDetail>(here, 'causes', 'split', '1', 'service:till', '--title', 'The till', ...because)
  expect(split).toMatchObject({ cause: { title: 'The till' }, decisions: [{ rule: 'service:till', actor: 'ana' }] })
  const detail = await json<CauseDetail>(here, 'cause', String(split.cause.id))
  expect(detail).toMatchObject({ cause: { total: 1, unresolved: 1 }, decisions: [{ isMoving: false }] })
  expect((await here.redrive('cause', '1')).out).toContain('split from 1 by service:till, by ana because the same bank')
})

test('without a reason, and by what changes, nothing is done', async () => {
  const here = await deskWith({ letters })
  expect((await here.redrive('causes', 'merge', '1', '2')).err).toContain("required option '--reason <text>'")
  expect((await here.redrive('causes', 'split', '1', 'age>1h', ...because)).err).toContain('bad-option')
  expect((await json<{ causes: unknown[] }>(here, 'causes')).causes).toHaveLength(2)
})

test('a fingerprint means the cause whose own it is, or else the one under which its letters stand, and never one of several', async () => {
  const here = await deskWith({ letters })
  const own = async (id: number) => (await json<CauseDetail>(here, 'cause', String(id))).cause.fingerprint
  const found = async (fingerprint: string) => (await json<CauseDetail>(here, 'cause', fingerprint)).cause.id
  const [shut, clos] = [await own(1), await own(2)]
  await here.redrive('causes', 'merge', '1', '2', ...because)
  expect(await found(clos)).toBe(1)
  await here.redrive('causes', 'undo', '1', ...because)
  await here.redrive('causes', 'split', '1', 'service:till', ...because)
  expect(await found(shut)).toBe(1)
  await here.redrive('causes', 'split', '1', 'service:desk', ...because)
  expect(await here.redrive('cause', shut)).toMatchObject({ status: 2, err: expect.stringContaining('means several causes') })
})
