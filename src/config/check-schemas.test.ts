import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Config } from './config.ts'
import { readConfig } from './read-config.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redrive-schemas-'))
  await writeFile(join(folder, 'order.json'), '{ "type": "object", "required": ["order"] }')
  await writeFile(join(folder, 'slip.json'), '{ "requierd": ["order"] }')
  await writeFile(join(folder, 'list.json'), '[')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const withSchemas = (schemas: string): Promise<Config> =>
  readConfig(
    [
      'connections: { shop: { transport: embedded, file: shop.db } }',
      'sources:',
      '  - connection: shop',
      '    channel: dlq.orders',
      '    mode: collect',
      `    schemas: ${schemas}`,
    ].join('\n'),
    { file: 'redrive.yaml', folder, environment: {} },
  )

describe('the schemas of a source', () => {
  test('are read from the folder of the file, by the type of the message', async () => {
    const { sources } = await withSchemas('{ order.placed: ./order.json }')
    const check = sources[0]?.schemas?.get('order.placed')
    expect(check?.({})).toMatchObject([{ rule: '#/required' }])
    expect(check?.({ order: 1 })).toEqual([])
  })

  test.each([
    ['{ order.placed: ./none.json }', 'sources[0].schemas["order.placed"] is "./none.json", which cannot be read.'],
    ['{ "*": list.json }', 'which is no JSON object.'],
    ['{ "*": slip.json }', 'which is no JSON Schema of draft 7 or 2020-12: strict mode: unknown keyword: "requierd".'],
    ['[order.json]', 'Allowed: a mapping of message types to files.'],
  ])('%s are a mistake that is told with its line', async (schemas, told) => {
    await expect(withSchemas(schemas)).rejects.toMatchObject({ message: expect.stringContaining(told) })
    await expect(withSchemas(schemas)).rejects.toMatchObject({ mistakes: [{ line: 6 }] })
  })
})
