import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { deskWith, json } from '../../../test/control/desk.fixture.ts'
import { deadLetter } from '../../../test/control/letters.fixture.ts'

const secret = 'hunter2-in-the-body'
const letters = [1, 2, 3].map((n) =>
  deadLetter({
    n,
    body: secret,
    correlation: `c-${n}`,
    headers: [
      ['amount', 12345678901234567890n],
      ['raw', Buffer.from([1, 255])],
    ],
  }),
)

interface Found {
  readonly letters: readonly Readonly<Record<string, unknown>>[]
}

describe('export and import', () => {
  test('bring letters into another vault, each once however often', async () => {
    const here = await deskWith({ letters })
    await here.redrive('discard', '--letters', '2', '--yes')
    here.write('all.jsonl', (await here.redrive('export', '--bodies')).out)
    const first = await here.redrive('import', 'all.jsonl', '--vault', 'copy.db', '--create')
    expect(first).toEqual({ status: 0, out: '3 letters imported, 0 known already, 0 refused\n', err: '' })
    expect(await json(here, 'import', 'all.jsonl', '--vault', 'copy.db')).toEqual({
      read: 3,
      imported: 0,
      known: 3,
      refused: 0,
      problems: [],
    })

    const [mine, copied] = [await json<Found>(here, 'letters'), await json<Found>(here, 'letters', '--vault', 'copy.db')]
    const same = ({ letters: found }: Found) =>
      found
        .map(({ id, receivedAt, broker, ...rest }) => rest)
        .toSorted((a, b) => String(a['correlationId']).localeCompare(String(b['correlationId'])))
    expect(same(copied)).toEqual(same(mine))
    const [id] = copied.letters.filter(({ correlationId }) => correlationId === 'c-1').map((letter) => String(letter['id']))
    const [one, other] = [
      await json(here, 'show', '1', '--headers', '--body'),
      await json(here, 'show', id ?? '', '--headers', '--body', '--vault', 'copy.db'),
    ]
    expect(other).toMatchObject({ headers: (one as { headers: unknown }).headers, body: { text: secret } })
    expect(await json(here, 'letters', '"card declined"', 'header.amount:*', '--vault', 'copy.db')).toMatchObject({
      letters: [{}, {}, {}],
    })
  })

  test('into the vault that they came from change nothing', async () => {
    const here = await deskWith({ letters })
    here.write('all.jsonl', (await here.redrive('export', '--bodies')).out)
    await here.redrive('purge', '--letters', '1', '--confirm', '1')
    expect(await json(here, 'import', 'all.jsonl')).toEqual({ read: 3, imported: 0, known: 3, refused: 0, problems: [] })
    expect((await json<Found>(here, 'letters')).letters).toHaveLength(2)
  })

  test('without --bodies nothing of the payload leaves, and nothing can be imported', async () => {
    const here = await deskWith({ letters })
    const { out } = await here.redrive('export', 'correlation:c-1')
    expect(out.trim().split('\n')).toHaveLength(1)
    expect(out).not.toContain(Buffer.from(secret).toString('base64'))
    expect(out).not.toContain('amount')
    here.write('bare.jsonl', out)
    expect(await here.redrive('import', 'bare.jsonl', '--vault', 'copy.db', '--create')).toMatchObject({
      status: 2,
      err: expect.stringContaining('without its body'),
    })
  })

  test('a line that somebody made up is refused by its number and the place, and not quoted', async () => {
    const here = await deskWith({ letters })
    const [line = ''] = (await here.redrive('export', '--bodies')).out.split('\n')
    const made = JSON.parse(line)
    const bad: readonly (readonly [unknown, string])[] = [
      [{ ...made, identity: '' }, 'identity'],
      [{ ...made, state: 'gone' }, 'state'],
      [{ ...made, surprise: 1 }, 'the line itself'],
      [{ ...made, body: '%%%' }, 'body'],
      [{ ...made, envelope: '[]' }, 'not one that was exported'],
      [{ ...made, envelope: '[1,{"a":1},null,null,null,null,[],null]' }, 'not one that was exported'],
      [{ ...made, envelope: '[1,null,null,null,null,5,[],null]' }, 'not one that was exported'],
      [{ ...made, failedAt: Number.MAX_SAFE_INTEGER }, 'failedAt'],
    ]
    here.write('bad.jsonl', bad.map(([content]) => JSON.stringify(content)).join('\n'))
    const { status, err } = await here.redrive('import', 'bad.jsonl')
    expect(status).toBe(2)
    expect(err.trim().split('\n')).toEqual(
      bad.map(([, place], index) =>
        expect.stringMatching(new RegExp(`^redrive: bad-message: bad.jsonl: line ${index + 1}: .*${place}`)),
      ),
    )
    expect(err).not.toContain(made.body)
    here.write('bad.jsonl', `not json: ${secret}`)
    expect(await here.redrive('import', 'bad.jsonl')).toEqual({
      status: 2,
      out: '0 letters imported, 0 known already, 1 refused\n',
      err: 'redrive: bad-message: bad.jsonl: line 1: It is no JSON.\n',
    })
  })

  test('every other letter is taken in, also of the same batch, and it ends with what was taken and what refused', async () => {
    const here = await deskWith({ letters })
    const [one = '', two = '', three = ''] = (await here.redrive('export', '--bodies')).out.split('\n')
    const forged = JSON.stringify({ ...JSON.parse(two), envelope: '[]' })
    here.write('torn.jsonl', `${one}\n${forged}\n\n{"torn\n${three}\n`)
    const into = ['import', 'torn.jsonl', '--vault', 'copy.db', '--create'] as const
    expect(await here.redrive(...into)).toEqual({
      status: 1,
      out: '2 letters imported, 0 known already, 2 refused\n',
      err: 'redrive: bad-message: torn.jsonl: line 2: Its envelope is not one that was exported.\nredrive: bad-message: torn.jsonl: line 4: It is no JSON.\n',
    })
    expect((await json<Found>(here, 'letters', '--vault', 'copy.db')).letters).toHaveLength(2)
    const { status, out, err } = await here.redrive(...into, '--json')
    expect({ status, told: JSON.parse(out), err }).toEqual({
      status: 1,
      told: {
        ...{ read: 4, imported: 0, known: 2, refused: 2 },
        problems: [
          { line: 2, code: 'bad-message', message: 'Its envelope is not one that was exported.' },
          { line: 4, code: 'bad-message', message: 'It is no JSON.' },
        ],
      },
      err: '',
    })
  })

  test('a letter that was on its way elsewhere is unknown here', async () => {
    const here = await deskWith({ letters })
    const { out } = await here.redrive('export', '--bodies', 'correlation:c-1')
    here.write('one.jsonl', JSON.stringify({ ...JSON.parse(out), state: 'sent' }))
    await here.redrive('import', 'one.jsonl', '--vault', 'copy.db', '--create')
    expect(await json(here, 'letters', '--vault', 'copy.db')).toMatchObject({ letters: [{ state: 'unknown' }] })
  })
})

describe('repro', () => {
  /** Runs the written test with node, on the sources of this package. */
  function runWritten(folder: string, file: string): { readonly status: number | null; readonly told: string } {
    const source = readFileSync(join(folder, file), 'utf8')
    const code = source
      .replace("'redrive/testing'", JSON.stringify(pathToFileURL('src/testing/testing.ts').href))
      .replace("import { test } from 'vitest'", 'const test = (_name, run) => run()')
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-'], {
      input: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(join(folder, file)).href)),
      encoding: 'utf8',
      timeout: 240_000,
    })
    return { status, told: stderr }
  }

  test('writes a test that fails as the letter did, and passes once the handler is mended', async () => {
    const here = await deskWith({ letters })
    const message = pathToFileURL('src/runtime/define-message.ts').href
    const handler = (body: string) => `import { defineMessage } from ${JSON.stringify(message)}
      export function declare(consumer) {
        consumer.channel('orders', { deadLetter: 'dlq.orders' }).on(defineMessage('order.placed', undefined, { codec: { decode: (bytes) => bytes, encode: (value) => value } }), async () => { ${body} }, { retry: { immediate: 0, delayed: { retries: 0 } } })
      }`
    const module = pathToFileURL(join(here.folder, 'consumer.mjs')).href
    const { status, out } = await here.redrive('repro', '1', '--consumer', `${module}#declare`)
    expect([status, out]).toEqual([0, 'repro/letter-1.json\nrepro/letter-1.body\nrepro/letter-1.test.ts\n'])
    here.write('consumer.mjs', handler("throw new Error('card declined')"))
    const failing = runWritten(join(here.folder, 'repro'), 'letter-1.test.ts')
    expect([failing.status, failing.told]).toEqual([1, expect.stringContaining('dead-lettered')])
    here.write('consumer.mjs', handler(''))
    expect(runWritten(join(here.folder, 'repro'), 'letter-1.test.ts')).toEqual({ status: 0, told: '' })
  })

  test('overwrites nothing, and takes no code for a name', async () => {
    const here = await deskWith({ letters })
    await here.redrive('repro', '1')
    expect(await here.redrive('repro', '1')).toMatchObject({ status: 4, err: expect.stringContaining('nothing is overwritten') })
    expect(await here.redrive('repro', '2', '--consumer', './x.ts#a(); evil')).toMatchObject({ status: 2 })
  })
})
