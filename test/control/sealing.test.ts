import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { runControlPlane } from '../../src/cli/run-control-plane.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { decodeMessage, parseEnvelope } from '../../src/core/envelope.ts'
import type { Message } from '../../src/core/message.ts'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import type { VaultKeys } from '../../src/platform/vault-key.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import { copyBetween } from '../../src/vault/copy/open-copy.ts'
import { isWhole } from '../../src/vault/copy/outcome.ts'
import { conditionOf } from '../../src/vault/filter-condition.ts'
import { createKeyRing, type KeyRing, type LetterKey } from '../../src/vault/sealing/key-ring.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { deadLetter, keep, noon, sourceIn, temporaryFolder } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { behind, filesWith, keysOf, newKey, newMarker, visit } from './sealed-vault.fixture.ts'
import { wishes } from './shop.fixture.ts'

/** For servers and disks of a machine that is busy. Milliseconds. */
vi.setConfig({ testTimeout: 240_000 })

let places = 0
const freshFile = (): string => join(temporaryFolder(), 'vault.db')
const silent = (): void => {}

const edited = { envelope: '[1,2]', body: Buffer.from('mended') }

/** Two letters, of which the first was edited. */
async function twoLetters(place: string, keys: VaultKeys | undefined, marker = 'nobody'): Promise<readonly [number, number]> {
  return visit(place, keys, async (vault) => {
    const letters = [1, 2].map((n) =>
      deadLetter({ n, body: `${marker} body ${n}`, headers: [[`x-${marker}`, `${marker} value`]] }),
    )
    const [first = 0, second = 0] = await keep(vault, await sourceIn(vault), letters)
    const body = Buffer.from(`${marker} mended`)
    await vault.write('addEdit', { letter: first, now: noon, actor: 'ana', envelope: `["${marker}"]`, body })
    return [first, second] as const
  })
}

async function messageOf(vault: Vault, id: number): Promise<Message> {
  const { envelope, body } = await vault.read('readContent', { id })
  return decodeMessage(parseEnvelope(envelope), body)
}

const textOf = (body: Uint8Array | null) => body && Buffer.from(body).toString()

const found = (vault: Vault, filter: string) => vault.read('findLetters', { condition: conditionOf(filter, noon), limit: 10 })

/** Ways to change what a letter holds, by somebody who can write the database and has no key. */
const tampering: readonly (readonly [string, readonly string[]])[] = [
  ['the content of another letter', swapped('contents', 'letter', 'body', 'sealed_envelope')],
  [
    'the content of another letter together with its key',
    [...swapped('contents', 'letter', 'body', 'sealed_envelope'), ...swapped('letter_keys', 'letter', 'wrapped')],
  ],
  ['the key of another letter', swapped('letter_keys', 'letter', 'wrapped')],
  ['the body of its own edit', ['UPDATE contents SET body = (SELECT body FROM edits WHERE letter = 1) WHERE letter = 1']],
  [
    'the whole of its own edit',
    [
      'UPDATE contents SET body = (SELECT body FROM edits WHERE letter = 1), sealed_envelope = (SELECT sealed_envelope FROM edits WHERE letter = 1) WHERE letter = 1',
    ],
  ],
  ['its envelope for a body', ['UPDATE contents SET body = sealed_envelope WHERE letter = 1']],
  ['no body', ['UPDATE contents SET body = NULL WHERE letter = 1']],
  ['a shorter body', ['UPDATE contents SET body = substr(body, 1, 20) WHERE letter = 1']],
  ['an empty body', ['UPDATE contents SET body = substr(body, 1, 0) WHERE letter = 1']],
  ['no envelope', ['UPDATE contents SET sealed_envelope = NULL WHERE letter = 1']],
  ['no key', ['DELETE FROM letter_keys WHERE letter = 1']],
]

function swapped(table: string, key: string, ...columns: readonly string[]): readonly string[] {
  const from = (letter: number) =>
    columns.map((column) => `${column} = (SELECT ${column} FROM ${table} WHERE ${key} = ${letter})`)
  const set = columns.map((column) => `${column} = (SELECT ${column} FROM swapping)`)
  return [
    `CREATE TABLE swapping AS SELECT * FROM ${table} WHERE ${key} = 1`,
    `UPDATE ${table} SET ${from(2).join(', ')} WHERE ${key} = 1`,
    `UPDATE ${table} SET ${set.join(', ')} WHERE ${key} = 2`,
    'DROP TABLE swapping',
  ]
}

await onBrokers('postgres', ['15'], (broker) => {
  const freshUrl = (): string => `${broker.url}?schema=sealed_${++places}`

  describe.each([
    ['a file', freshFile],
    ['a schema', freshUrl],
  ])('a sealed vault in %s', (_, place) => {
    test('gives back what it was given: bodies of any kind, headers, and edits', async () => {
      const [here, keys] = [place(), keysOf(newKey())]
      const bodies = [Buffer.from('text'), Buffer.alloc(0), null, randomBytes(300_000)]
      const messages = bodies.map((body, n): Message => ({ ...deadLetter({ n, headers: [['x', 'é \u0000']] }), body }))
      await visit(here, keys, async (vault) => {
        const ids = await keep(vault, await sourceIn(vault), messages)
        const read = await Promise.all(ids.map((id) => messageOf(vault, id)))
        const plain = (all: readonly Message[]) => all.map(({ body, headers }) => [body && Buffer.from(body), headers])
        expect(plain(read)).toEqual(plain(messages))
        const [letter = 0] = ids
        const { id: edit } = await vault.write('addEdit', { letter, now: noon, actor: 'ana', ...edited })
        const changed = await vault.read('readEdit', { letter, edit })
        expect([changed.envelope, textOf(changed.body)]).toEqual([edited.envelope, 'mended'])
        const [exported] = await vault.read('exportLetters', {
          condition: conditionOf(`id:${letter}`, noon),
          limit: 1,
          bodies: true,
        })
        expect(textOf(exported?.content?.body ?? null)).toBe('text')
      })
    })

    test('case 49: neither bodies nor headers of a letter or its edits are found in any file', async () => {
      const [here, marker] = [place(), newMarker()]
      const [first] = await twoLetters(here, keysOf(newKey()), marker)
      expect([first, await filesWith(marker, here, broker)]).toEqual([1, []])
    })

    test('planted bug: a vault without a key is seen to hold them', async () => {
      const [here, marker] = [place(), newMarker()]
      await twoLetters(here, undefined, marker)
      expect(await filesWith(marker, here, broker)).not.toEqual([])
    })

    test.each(tampering)('refuses a letter that was given %s, and says so', async (_name, statements) => {
      const [here, keys] = [place(), keysOf(newKey())]
      await twoLetters(here, keys)
      await behind(here, async (sql) => {
        for (const statement of statements) await sql.run(statement)
      })
      await visit(here, keys, async (vault) => {
        await expect(vault.read('readContent', { id: 1 })).rejects.toMatchObject({ code: 'content-broken' })
        expect(await vault.read('showLetter', { id: 1 })).toMatchObject({ id: 1, errorMessage: 'card declined' })
      })
    })

    test('without its key says what it knows of letters, and neither shows nor keeps what they hold', async () => {
      const [here, key] = [place(), newKey()]
      await twoLetters(here, keysOf(key))
      const missing = { code: 'vault-key-missing', message: expect.stringContaining(key.id) }
      for (const keys of [undefined, keysOf(newKey())]) {
        await visit(here, keys, async (vault) => {
          expect(await found(vault, 'channel:orders')).toHaveLength(2)
          await expect(vault.read('readContent', { id: 1 })).rejects.toMatchObject(missing)
          await expect(vault.read('readEdit', { letter: 1, edit: 1 })).rejects.toMatchObject(missing)
          await expect(keep(vault, 1, [deadLetter({ n: 3 })])).rejects.toMatchObject(missing)
          const edit = { letter: 2, now: noon, actor: 'ana', ...edited }
          await expect(vault.write('addEdit', edit)).rejects.toMatchObject(missing)
          expect(await found(vault, '')).toHaveLength(2)
        })
      }
    })

    test('keeps a control plane from starting that lacks a key, and lets one start that has it among the former ones', async () => {
      const [here, key, next] = [place(), newKey(), newKey()]
      await twoLetters(here, keysOf(key))
      const config = await readConfig(`vault: ${here}`, { file: 'redrive.yaml', folder: temporaryFolder(), environment: {} })
      const start = (encryption?: VaultKeys) =>
        runControlPlane(
          { ...config, ...(encryption && { encryption }), server: { ...config.server, port: 0 } },
          { onProblem: silent },
        )
      for (const keys of [undefined, keysOf(next)]) {
        await expect(start(keys)).rejects.toMatchObject({ code: 'vault-key-missing' })
      }
      await (await start(keysOf(next, key))).close()
      // From now on there may be letters of either.
      await expect(start(keysOf(key))).rejects.toMatchObject({
        code: 'vault-key-missing',
        message: expect.stringContaining(next.id),
      })
    })

    test('does not search bodies and headers, and says so instead of finding nothing', async () => {
      const here = place()
      await twoLetters(here, keysOf(newKey()), 'zebra')
      await visit(here, undefined, async (vault) => {
        for (const filter of ['header.x-zebra:*', '-header.x:1', 'body:zebra', 'channel:orders (header.a:b OR key:1)']) {
          await expect(found(vault, filter)).rejects.toMatchObject({ code: 'unsupported', message: /sealed/ })
        }
        await expect(vault.write('searchBodiesOf', { sources: [1] })).rejects.toMatchObject({ code: 'unsupported' })
        expect(await found(vault, '"card declined"')).toHaveLength(2)
        expect(await found(vault, 'zebra')).toEqual([])
      })
    })

    test('has no words of bodies any more once it has a key', async () => {
      const here = place()
      await visit(here, undefined, async (vault) => {
        const source = await sourceIn(vault)
        await vault.write('searchBodiesOf', { sources: [source] })
        await keep(vault, source, [deadLetter({ n: 1, body: 'zebra' })])
        while (!(await vault.write('indexBodies', { most: 10 })).done);
        expect(await found(vault, 'body:zebra')).toHaveLength(1)
      })
      await visit(here, keysOf(newKey()), (vault) => vault.write('useKeys', { now: noon }))
      const rows = (table: string) => behind(here, (sql) => sql.all(`SELECT rowid FROM ${table}`))
      expect(await rows('body_text')).toEqual([])
    })

    test.each(['eraseLetter', 'purgeLetters'] as const)('%s takes the key of a letter away with what it held', async (verb) => {
      const [here, keys] = [place(), keysOf(newKey())]
      const [first, second] = await twoLetters(here, keys)
      await visit(here, keys, async (vault) => {
        if (verb === 'eraseLetter') await vault.write(verb, { id: first, now: noon })
        else await vault.write(verb, { letters: [first], rememberUntil: noon })
        await expect(vault.read('readContent', { id: first })).rejects.toMatchObject({ code: 'not-found' })
      })
      expect(await behind(here, (sql) => sql.all('SELECT letter FROM letter_keys'))).toEqual([{ letter: second }])
    })

    test('is copied without its keys, to a file and to a server, and the copy opens with them and nothing else', async () => {
      const [here, key] = [place(), newKey()]
      await twoLetters(here, keysOf(key))
      for (const to of [freshFile(), freshUrl()]) {
        const outcome = await copyBetween(here, to, silent)
        expect([isWhole(outcome), outcome.sealedBy]).toEqual([true, [key.id]])
        await visit(to, keysOf(key), async (vault) => {
          expect(textOf((await messageOf(vault, 1)).body)).toBe('nobody body 1')
          expect(textOf((await vault.read('readEdit', { letter: 1, edit: 1 })).body)).toBe('nobody mended')
        })
        await visit(to, undefined, (vault) =>
          expect(vault.read('readContent', { id: 1 })).rejects.toMatchObject({ code: 'vault-key-missing' }),
        )
      }
    })
  })
})

describe('the tests above', () => {
  /** Binds what it seals to nothing: neither to its letter, nor to what part of it this is. */
  function bindsNothing(ring: KeyRing): KeyRing {
    const nothing = { letter: 0, edit: 0 }
    const unbound = (key: LetterKey): LetterKey => ({
      seal: (_part, _subject, plain) => key.seal('', nothing, plain),
      open: (_part, _subject, sealed) => key.open('', nothing, sealed),
    })
    return {
      ...ring,
      draw() {
        const { key, kept } = ring.draw(0)
        return { key: unbound(key), kept }
      },
      unwrap: (_letter, kept) => unbound(ring.unwrap(0, kept)),
    }
  }

  /** Which of the ways to tamper with a letter are not noticed. */
  async function unnoticed(ringOf: (ring: KeyRing) => KeyRing): Promise<readonly string[]> {
    const passed: string[] = []
    for (const [name, statements] of tampering) {
      const vault = memoryVault(new DatabaseSync(':memory:'), ringOf(createKeyRing(keysOf(newKey()), randomBytes)))
      const letters = [1, 2].map((n) => deadLetter({ n, body: `body ${n}` }))
      await keep(vault, await sourceIn(vault), letters)
      await vault.write('addEdit', { letter: 1, now: noon, actor: 'ana', ...edited })
      await vault.perform(async (sql) => {
        for (const statement of statements) await sql.run(statement)
      })
      const isServed = await vault.read('readContent', { id: 1 }).then(
        () => true,
        () => false,
      )
      if (isServed) passed.push(name)
      await vault.close()
    }
    return passed
  }

  test('notice nothing that was not tampered with', async () => {
    expect(await unnoticed((ring) => ring)).toEqual([])
  })

  test('planted bug: what is bound to nothing can be exchanged, and they notice', async () => {
    const passed = await unnoticed(bindsNothing)
    for (const name of ['the content of another letter together with its key', 'the whole of its own edit', 'no body']) {
      expect(passed).toContain(name)
    }
  })
})

test('a letter whose content was changed is refused in a replay, and the letters of other keys are sent', async () => {
  const clock = virtualClock({ start: noon })
  const vault = memoryVault(new DatabaseSync(':memory:'), createKeyRing(keysOf(newKey()), randomBytes))
  const transport = memory({ clock })
  await transport.provision({ channels: [{ address: { name: 'orders' }, role: 'work' }] }, 'apply')
  const letters = ['a', 'b', 'a', 'c'].map((key, n) => deadLetter({ n, key, failedAt: noon - 10_000 + n }))
  const [, second = 0] = await keep(vault, await sourceIn(vault), letters)
  await keep(vault, 1, [deadLetter({ n: 9, key: 'b' })])
  await vault.perform((sql) => sql.run('UPDATE contents SET body = ? WHERE letter = ?', randomBytes(60), second))
  const plane = createControlPlane({
    ...{ vault, clock, newId: () => 'id', draw: (bytes: number) => new Uint8Array(bytes), sources: [] },
    transportNamed: () => transport,
  })
  onTestFinished(() => plane.close())
  const { replay } = await plane.replays.seal({ filter: 'state:open' }, { ...wishes, canary: undefined, rate: 1000 })
  await plane.replays.start(replay.id, wishes)
  await clock.advance(60_000)
  const lines = await vault.perform((sql) =>
    sql.all<{ letter: number; problem: string }>(
      "SELECT letter, problem FROM replay_letters WHERE state = 'refused' ORDER BY seq",
    ),
  )
  expect(lines).toEqual([
    { letter: second, problem: 'content-broken' },
    { letter: 5, problem: 'behind-unsent' },
  ])
  expect((await transport.measure({ name: 'orders' })).retained).toBe(3)
  expect((await found(vault, 'state:open')).map(({ id }) => id)).toEqual([5, second])
})
