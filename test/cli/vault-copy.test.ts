import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CopyOutcome } from '../../src/vault/copy/outcome.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import { deskWith } from '../control/desk.fixture.ts'
import { filledFile } from '../control/filled-vault.fixture.ts'
import { deadLetter, keep, sourceIn } from '../control/letters.fixture.ts'
import { type Person, type Workplace, workplace } from './run-redrive.ts'

async function deskWithVault(person?: Person): Promise<Workplace> {
  const here = workplace({}, person)
  onTestFinished(() => here.remove())
  await filledFile(join(here.folder, 'from.db'))
  return here
}

test('a vault is copied by one command, which says of every table that it is the same', async () => {
  const here = await deskWithVault()
  const { status, out, err } = await here.redrive('vault', 'copy', 'from.db', 'to.db')
  expect([status, err]).toEqual([0, ''])
  expect(out).toMatch(/^TABLE +ROWS +IN THE COPY +HASH +EQUAL\n/)
  expect(out).toMatch(/\nletters +39 +39 +[0-9a-f]{16} +yes\n/)
  expect(out).toContain('The copy holds what the source holds')
  expect(out).not.toContain('NO')
})

test('with --json it is one line, and run again it finds that all is done', async () => {
  const here = await deskWithVault()
  const told = async () => JSON.parse((await here.redrive('vault', 'copy', 'from.db', 'to.db', '--json')).out) as Told
  const first = await told()
  expect(first).toMatchObject({ whole: true, before: 0, from: join(here.folder, 'from.db'), to: join(here.folder, 'to.db') })
  const rows = first.tables.reduce((sum, { target }) => sum + target.rows, 0)
  expect(first.copied).toBe(rows)
  expect(await told()).toMatchObject({ whole: true, copied: 0, before: rows })
})

interface Told extends CopyOutcome {
  readonly whole: boolean
}

test('on a screen it tells how far it has come, how fast, and what is left', async () => {
  const here = await deskWithVault({ columns: 200 })
  const { err } = await here.redrive('vault', 'copy', 'from.db', 'to.db')
  expect(err).toMatch(/copying letters: \d+ of \d+ rows, [\d,]+ a second, about \d+\w+ left/)
  expect(err).toMatch(/comparing letters: \d+ of \d+ rows/)
})

test('a target that holds something is refused with a conflict, and a source that is not there as a mistake', async () => {
  const here = await deskWith({ letters: [deadLetter({ n: 1 })] })
  const other = sqliteVault({ file: join(here.folder, 'other.db') })
  await keep(
    other,
    await sourceIn(other),
    [1, 2].map((n) => deadLetter({ n })),
  ).finally(() => other.close())
  const refused = await here.redrive('vault', 'copy', 'vault.db', 'other.db')
  expect([refused.status, refused.err]).toEqual([4, expect.stringContaining('is not empty')])
  const missing = await here.redrive('vault', 'copy', 'vualt.db', 'new.db')
  expect([missing.status, missing.err]).toEqual([2, expect.stringContaining('there is no such vault')])
})
