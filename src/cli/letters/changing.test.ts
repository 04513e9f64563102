import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deskWith, json } from '../../../test/control/desk.fixture.ts'
import { deadLetter } from '../../../test/control/letters.fixture.ts'

const three = [1, 2, 3].map((n) => deadLetter({ n, body: JSON.stringify({ order: n, total: 12345678901234567890n.toString() }) }))

async function states(here: Parameters<typeof json>[0]): Promise<readonly string[]> {
  const { letters } = await json<{ letters: { state: string }[] }>(here, 'letters')
  return letters.map(({ state }) => state).toReversed()
}

/** Answers the questions that it is asked, and remembers them. */
function person(...answers: readonly string[]): { readonly asked: string[]; ask(question: string): Promise<string> } {
  const asked: string[] = []
  return {
    asked,
    async ask(question) {
      asked.push(question)
      return answers[asked.length - 1] ?? ''
    },
  }
}

describe('discard and restore', () => {
  test('ask first, and do it to what was asked about', async () => {
    const ana = person('y', 'n')
    const here = await deskWith({ letters: three, person: ana })
    expect(await here.redrive('discard', '--letters', '1,3')).toEqual({ status: 0, out: '2 letters discarded\n', err: '' })
    expect(await states(here)).toEqual(['discarded', 'open', 'discarded'])
    expect(await here.redrive('restore', 'state:discarded')).toMatchObject({
      status: 5,
      err: 'redrive: declined: Nothing was changed.\n',
    })
    expect(ana.asked).toEqual(['Discard 2 letters? [y/N] ', 'Restore 2 letters? [y/N] '])
    expect(await states(here)).toEqual(['discarded', 'open', 'discarded'])
    expect(await here.redrive('restore', 'state:discarded', '--yes')).toMatchObject({ status: 0 })
    expect(await states(here)).toEqual(['open', 'open', 'open'])
  })

  test('tell how many it was not done to, and why', async () => {
    const here = await deskWith({ letters: three })
    await here.redrive('discard', '--letters', '1', '--yes')
    expect(await here.redrive('discard', 'channel:orders', '--yes')).toMatchObject({
      status: 0,
      out: '2 letters discarded; 1 not: only an open letter can be discarded\n',
    })
    expect(await json(here, 'discard', 'channel:orders', '--yes')).toEqual({ selected: 3, discarded: 0 })
  })

  test('where there is nobody to ask, nothing is done without --yes', async () => {
    const here = await deskWith({ letters: three })
    const { status, out } = await here.redrive('discard', 'state:open', '--json')
    expect([status, JSON.parse(out)]).toEqual([5, { error: { code: 'declined', message: expect.stringContaining('--yes') } }])
    expect(await states(here)).toEqual(['open', 'open', 'open'])
  })

  test.each([
    [[], 2, 'Say which letters'],
    [['state:open', '--letters', '1'], 2, 'not both'],
    [['state:unknown'], 3, 'No letter matches'],
  ])('with %j they end with %i', async (args, status, told) => {
    const here = await deskWith({ letters: three })
    expect(await here.redrive('discard', '--yes', ...args)).toMatchObject({ status, err: expect.stringContaining(told) })
  })
})

describe('purge and erase', () => {
  test('purge wants the number typed, and then they are gone', async () => {
    const ana = person('yes', '3')
    const here = await deskWith({ letters: three, person: ana })
    expect(await here.redrive('purge', 'state:open')).toMatchObject({ status: 5 })
    expect(await here.redrive('purge', 'state:open')).toEqual({ status: 0, out: '3 letters purged\n', err: '' })
    expect(ana.asked[1]).toBe('This removes 3 letters for good. Type 3 to go on: ')
    expect(await here.redrive('letters')).toMatchObject({ status: 3, out: 'no letters\n' })
  })

  test('a script that is wrong about the number purges nothing', async () => {
    const here = await deskWith({ letters: three })
    expect(await here.redrive('purge', 'state:open', '--confirm', '2')).toMatchObject({ status: 5 })
    expect(await states(here)).toHaveLength(3)
    expect(await here.redrive('purge', 'state:open', '--confirm', '3')).toMatchObject({ status: 0 })
  })

  test('erase shreds what a letter holds, and the letter stays known', async () => {
    const here = await deskWith({ letters: three })
    expect(await here.redrive('erase', '2', '--confirm', '3')).toMatchObject({ status: 5 })
    expect(await here.redrive('erase', '2', '--confirm', '2')).toMatchObject({ status: 0 })
    expect(await here.redrive('show', '2')).toMatchObject({ status: 0 })
    expect(await here.redrive('show', '2', '--body')).toMatchObject({ status: 3, err: expect.stringContaining('erased') })
  })
})

describe('edit', () => {
  const patch = [
    { op: 'test', path: '/order', value: 1 },
    { op: 'add', path: '/card', value: 'visa' },
  ]
  const letters = [
    { ...deadLetter({ n: 1, headers: [['tenant', 'acme']] }), body: Buffer.from('{"order":1,"total":12345678901234567890}') },
  ]

  test('by a JSON patch shows what differs, keeps the original, and leaves other numbers as they were', async () => {
    const here = await deskWith({ letters })
    here.write('fix.json', patch)
    const { status, out } = await here.redrive('edit', '1', '--json-patch', 'fix.json', '--yes')
    expect(status).toBe(0)
    expect(out).toContain('-   "total": 12345678901234567890\n+   "total": 12345678901234567890,\n+   "card": "visa"\n')
    expect(out).toContain('edit 1 of letter 1; redrive replay --letters 1 sends it\n')
    expect(await json(here, 'show', '1', '--body')).toMatchObject({
      body: { text: '{"order":1,"total":12345678901234567890}' },
      edits: [{ id: 1, actor: 'ana' }],
    })
  })

  test('of headers changes those and no others', async () => {
    const here = await deskWith({ letters })
    const { out } = await here.redrive('edit', '1', '--set-header', 'region=eu=1', '--remove-header', 'tenant', '--yes')
    expect(out).toContain('- tenant: acme\n')
    expect(out).toContain('+ region: eu=1\n')
    expect(out).not.toContain('"order"')
  })

  test('in an editor: a file that only its owner may read, no shell, and nothing left behind', async () => {
    const here = await deskWith({ letters })
    here.write(
      'editor.mjs',
      `import { readFileSync, statSync, writeFileSync } from 'node:fs'
       const [file] = process.argv.slice(-1)
       writeFileSync('seen.json', JSON.stringify({ args: process.argv.slice(2, -1), file, mode: statSync(file).mode & 0o777 }))
       writeFileSync(file, readFileSync(file, 'utf8').replace('1,', '2,') + '\\n')`,
    )
    const editing = await deskWith({
      letters,
      environment: { EDITOR: `${process.execPath} ${join(here.folder, 'editor.mjs')} $(touch pwned);` },
    })
    const { status, out } = await editing.redrive('edit', '1', '--yes')
    expect([status, out]).toEqual([0, expect.stringContaining('+   "order": 2,')])
    const seen = JSON.parse(readFileSync(join(editing.folder, 'seen.json'), 'utf8'))
    expect(seen).toMatchObject({ mode: 0o600, args: ['$(touch', 'pwned);'] })
    expect(() => statSync(seen.file)).toThrow('ENOENT')
  })

  test.each([
    [['--body-file', 'nowhere'], 2, 'cannot be read'],
    [['--json-patch', 'twice.json'], 2, 'says each thing once'],
    [['--json-patch', 'stale.json'], 4, 'the test fails'],
    [['--body-file', 'same.json'], 3, 'already so'],
    [['--set-header', 'novalue'], 2, 'name=value'],
    [[], 2, 'set EDITOR'],
  ])('with %j ends with %i and keeps nothing', async (args, status, told) => {
    const here = await deskWith({ letters })
    here.write('twice.json', '[{"op":"add","op":"remove","path":"/order"}]')
    here.write('stale.json', [{ op: 'test', path: '/order', value: 9 }])
    here.write('same.json', '{"order":1,"total":12345678901234567890}')
    expect(await here.redrive('edit', '1', '--yes', ...args)).toMatchObject({ status, err: expect.stringContaining(told) })
    expect(await json(here, 'show', '1')).toMatchObject({ edits: [] })
  })

  test('of a letter that is not open ends with 4', async () => {
    const here = await deskWith({ letters })
    await here.redrive('discard', '--letters', '1', '--yes')
    expect(await here.redrive('edit', '1', '--set-header', 'a=b', '--yes')).toMatchObject({ status: 4 })
  })
})
