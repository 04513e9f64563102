import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { longestSearched } from '../../src/vault/body-words.ts'
import { conditionOf } from '../../src/vault/filter-condition.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { arrival, deadLetter, keep, noon, openVault, sourceIn, temporaryFolder } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { openShop } from './shop.fixture.ts'
import { describeFiles, indexedBodies } from './vaults-under-test.ts'

async function found(vault: Vault, filter: string): Promise<readonly number[]> {
  const letters = await vault.read('findLetters', { condition: conditionOf(filter, noon), limit: 1000 })
  return letters.map(({ id }) => id)
}

async function indexAll(vault: Vault, most = 100): Promise<void> {
  while (!(await vault.write('indexBodies', { most })).done);
}

const letterSaying = (n: number, body: string) => deadLetter({ n, body: JSON.stringify({ note: body }) })

describe('words in bodies', () => {
  test('cannot be asked for where nobody wanted an index of them', async () => {
    const vault = memoryVault()
    await keep(vault, await sourceIn(vault), [letterSaying(1, 'ring twice')])
    await indexAll(vault)
    for (const filter of ['body:ring', '-body:ring', 'state:open (body:ring OR key:a)']) {
      await expect(found(vault, filter), filter).rejects.toMatchObject({ code: 'unsupported' })
    }
  })

  test('find letters of the sources that were asked for, and of no others', async () => {
    const vault = memoryVault()
    const [orders, refunds] = [await sourceIn(vault), await sourceIn(vault, 'dlq.refunds')]
    await vault.write('searchBodiesOf', { sources: [orders] })
    const ids = await keep(vault, orders, [letterSaying(1, 'Please ring TWICE'), letterSaying(2, 'twice we rang')])
    await keep(vault, refunds, [letterSaying(3, 'ring twice')])
    expect(await found(vault, 'body:twice')).toEqual([])
    await indexAll(vault)
    expect(await found(vault, 'body:twice')).toEqual(ids.toReversed())
    expect(await found(vault, 'body:"ring twice"')).toEqual([ids[0]])
    expect(await found(vault, 'body:ran* state:open')).toEqual([ids[1]])
    expect(await found(vault, 'body:twice "card declined"')).toEqual(ids.toReversed())
    expect(await found(vault, 'message:message-1 body:twice')).toEqual([ids[0]])
    expect(await found(vault, '-body:rang source:dlq.orders')).toEqual([ids[0]])
  })

  test('are those of text: bytes that are none, an empty body and none at all have no words, and of a large one the beginning counts', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    await vault.write('searchBodiesOf', { sources: [source] })
    const large = `first ${'é'.repeat(longestSearched)} last`
    const arrivals = [null, Buffer.alloc(0), Buffer.from([0xff, 0x66, 0x69, 0x72, 0x73, 0x74]), Buffer.from(large)].map(
      (body, n) => arrival({ body, headers: [] }, { position: `p/${n}` }),
    )
    const { letters } = await vault.write('ingest', { source, now: noon, arrivals })
    await indexAll(vault)
    expect(await found(vault, 'body:first')).toEqual([letters[3]?.id])
    expect(await found(vault, 'body:last')).toEqual([])
  })

  test('of a source that is left out are gone, and the others are found again', async () => {
    const vault = memoryVault()
    const [orders, refunds] = [await sourceIn(vault), await sourceIn(vault, 'dlq.refunds')]
    await vault.write('searchBodiesOf', { sources: [orders, refunds] })
    const [kept = 0] = await keep(vault, orders, [letterSaying(1, 'ring')])
    await keep(vault, refunds, [letterSaying(2, 'ring')])
    await indexAll(vault)
    expect(await found(vault, 'body:ring')).toHaveLength(2)
    await vault.write('searchBodiesOf', { sources: [orders] })
    await indexAll(vault)
    expect(await found(vault, 'body:ring')).toEqual([kept])
    await vault.write('searchBodiesOf', { sources: [] })
    await expect(found(vault, 'body:ring')).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('are searchable soon after a control plane that was told so has kept their letters', async () => {
    const shop = await openShop({ searchBodies: true })
    const hits = async () => (await shop.plane.letters.find({ filter: 'body:"customer c 1"', limit: 10 })).letters.length
    await shop.orders(6)
    await shop.until(async () => (await hits()) === 2)
    await expect((await openShop()).plane.letters.find({ filter: 'body:c', limit: 1 })).rejects.toMatchObject({
      code: 'unsupported',
    })
  })

  test('are indexed from where a process that died had come to, each letter once', async () => {
    const file = join(temporaryFolder(), 'vault.db')
    const died = openVault(file)
    const source = await sourceIn(died)
    await died.write('searchBodiesOf', { sources: [source] })
    const ids = await keep(
      died,
      source,
      Array.from({ length: 30 }, (_, n) => letterSaying(n, 'ring')),
    )
    for (let step = 0; step < 3; step++) expect(await died.write('indexBodies', { most: 4 })).toEqual({ done: false })
    // It is not closed: the next one finds the file and its log as a kill leaves them.
    const next = openVault(file)
    await next.write('searchBodiesOf', { sources: [source] })
    expect(await found(next, 'body:ring')).toHaveLength(12)
    await indexAll(next, 4)
    expect(await found(next, 'body:ring')).toEqual(ids.toReversed())
    expect(await indexedBodies(file)).toBe(30)
  })
})

describeFiles('erasing', () => {
  /** Nothing else in a vault begins so: an index that leaves out what words have in common keeps it whole. */
  const secret = 'zzyzxmountain'

  const isInFiles = (file: string) =>
    [file, `${file}-wal`].some((path) => existsSync(path) && readFileSync(path).includes(secret))

  async function erased(): Promise<{ readonly vault: Vault; readonly file: string; readonly id: number }> {
    const file = join(temporaryFolder(), 'vault.db')
    const vault = openVault(file)
    const source = await sourceIn(vault)
    await vault.write('searchBodiesOf', { sources: [source] })
    const message = deadLetter({ n: 1, body: secret, headers: [['patient', secret]] })
    const [id = 0] = await keep(vault, source, [message, deadLetter({ n: 2 })])
    await indexAll(vault)
    expect(await found(vault, `body:${secret}`)).toEqual([id])
    expect(isInFiles(file)).toBe(true)
    await vault.write('eraseLetter', { id, now: noon })
    return { vault, file, id }
  }

  test('leaves nothing of a letter in the file or its log, and nothing that finds it', async () => {
    const { vault, file } = await erased()
    while (!(await vault.write('shredWords', undefined)).done);
    expect(isInFiles(file)).toBe(false)
    expect(await found(vault, `body:${secret}`)).toEqual([])
    expect(await found(vault, `${secret}`)).toEqual([])
    expect(await found(vault, '"card declined"')).toHaveLength(1)
  })

  test('without shredding the words leaves them in the file: the test above can see them', async () => {
    const { file } = await erased()
    expect(isInFiles(file)).toBe(true)
  })

  test('that was interrupted is known to be unfinished by whoever opens the file next', async () => {
    const { file } = await erased()
    const next = openVault(file)
    expect(await next.write('shredWords', undefined)).toEqual({ done: false })
    while (!(await next.write('shredWords', undefined)).done);
    expect(isInFiles(file)).toBe(false)
  })
})
