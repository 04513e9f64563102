import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type DeskInTest, deskWith } from '../../test/control/desk.fixture.ts'
import { deadLetter } from '../../test/control/letters.fixture.ts'

const names = [
  '--help',
  '-rf',
  '$(id)',
  '`id`',
  'a\nb',
  'c\u001b[2J\u001b]0;pwn\u0007d',
  'e\u202egpj.exe',
  'f\u200bg',
  "' OR 1=1 --",
]

/** Letters that bear such a name wherever a letter can bear one. */
function hostileDesk(person: { columns?: number } = {}): Promise<DeskInTest> {
  const letters = names.map((name, n) =>
    deadLetter({
      n,
      channel: name,
      error: `failed at ${name}`,
      type: name,
      correlation: name,
      key: name,
      version: name,
      service: name,
      headers: [[name, name]],
      body: name,
    }),
  )
  return deskWith({
    letters,
    source: '--help\u001b[2J',
    connection: '$(id)\u202e',
    person,
    environment: { USER: '-rf\u001b[1m' },
  })
}

/** What no output may hold: it would act on a terminal, a log or an eye. */
const acting = /[\p{Cc}\u202e\u200b]/u

const commands = [
  ['letters'],
  ['letters', '--jsonl'],
  ['show', '6', '--headers', '--body'],
  ['trace', names[5] ?? ''],
  ['causes'],
  ['cause', '6'],
  ['sources'],
  ['export'],
  ['replay', 'state:open', '--dry-run'],
  ['replays'],
  ['replay-status', '1'],
  ['show', '7', '--json'],
]

describe('names that anybody may have given', () => {
  test('are written out and never act, in every command that shows them', async () => {
    const here = await hostileDesk()
    await here.redrive('note', '6', names[5] ?? '')
    await here.redrive('replay', 'state:open', '--prepare', '--yes', '--name', names[6] ?? '')
    for (const args of commands) {
      const { status, out, err } = await here.redrive(...args)
      expect([args, status, err]).toEqual([args, 0, ''])
      expect(out.split('\n').filter((line) => acting.test(line.replaceAll('\\n', '')))).toEqual([])
    }
  })

  test('and on a screen nothing acts but our own colours', async () => {
    const here = await hostileDesk({ columns: 120 })
    const { out } = await here.redrive('letters')
    expect(out).toContain('\u001b[1m')
    expect(out.replace(/\u001b\[\d+m/g, '').replaceAll('\n', '')).not.toMatch(acting)
  })

  test.each(names)('are data where they are given: %j', async (name) => {
    const here = await hostileDesk()
    const traced = await here.redrive('trace', '--json', '--', name)
    expect(JSON.parse(traced.out).events).toMatchObject([{ letter: { correlationId: name, channel: name } }])
    const filtered = await here.redrive('letters', '--jsonl', '--', `channel:"${name}"`)
    expect(JSON.parse(filtered.out)).toMatchObject({ channel: name })
  })

  test.each([['\u001b[2J'], ['letters', '--\u001b[2J'], ['show', '\u001b[2J'], ['letters', '--before', '\u202e']])(
    'do not act in what is said about %j',
    async (...args) => {
      const here = await hostileDesk()
      const { status, err } = await here.redrive(...args)
      expect(status).toBe(2)
      expect(err.replaceAll('\n', '')).not.toMatch(acting)
    },
  )

  test('name no files and start no programs', async () => {
    const here = await hostileDesk()
    const before = readdirSync(here.folder).filter((name) => !name.startsWith('vault.db'))
    const written = await here.redrive('repro', '6', '--into', '.', '--consumer', './x.ts#declare')
    expect(written.status).toBe(0)
    const after = readdirSync(here.folder).filter((name) => !name.startsWith('vault.db'))
    expect(after.filter((name) => !before.includes(name)).toSorted()).toEqual([
      'letter-6.body',
      'letter-6.json',
      'letter-6.test.ts',
    ])
  })

  test('NO_COLOR and a pipe mean no colours', async () => {
    const quiet = await deskWith({ letters: [deadLetter({ n: 1 })], person: { columns: 80 }, environment: { NO_COLOR: '1' } })
    expect((await quiet.redrive('letters')).out).not.toContain('\u001b')
    const piped = await deskWith({ letters: [deadLetter({ n: 1 })] })
    expect((await piped.redrive('letters')).out).not.toContain('\u001b')
  })
})
