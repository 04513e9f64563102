import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { vaultKeyOf } from '../platform/vault-key.ts'
import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'
import { readConfig } from './read-config.ts'
import { keysFromEnvironment } from './read-keys.ts'

const bytes = randomBytes(32)
const text = bytes.toString('base64')
const { id } = vaultKeyOf(bytes)

interface Given {
  readonly yaml: string
  readonly environment?: Readonly<Record<string, string>>
  /** What `vault.key` beside the configuration holds, and who may read it. */
  readonly file?: string
  readonly mode?: number
}

async function reading({ yaml, environment = {}, file, mode = 0o600 }: Given): Promise<Config> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  if (file !== undefined) writeFileSync(join(folder, 'vault.key'), file)
  if (file !== undefined) chmodSync(join(folder, 'vault.key'), mode)
  return readConfig(yaml, { file: 'redrive.yaml', folder, environment })
}

async function mistakesIn(given: Given): Promise<readonly string[]> {
  const error = await reading(given).then(
    () => undefined,
    (thrown) => thrown,
  )
  if (!(error instanceof ConfigError)) throw new Error('It was taken.')
  // Whatever was written where a key is meant stays unsaid.
  expect(inspect(error, { depth: 9 })).not.toContain(text)
  return error.mistakes.map(({ path, problem }) => `${path}: ${problem}`)
}

const byFile = 'encryption: { key: { file: ./vault.key } }'
const byEnv = 'encryption: { key: { env: VAULT_KEY } }'

test('a key comes from the environment or from a file beside the configuration, and former ones with it', async () => {
  const former = randomBytes(32)
  const { encryption } = await reading({
    yaml: 'encryption: { key: { file: ./vault.key }, formerKeys: [{ env: OLD }] }',
    file: `${text}\n`,
    environment: { OLD: former.toString('hex') },
  })
  expect([encryption?.key.id, encryption?.formerKeys.map((key) => key.id)]).toEqual([id, [vaultKeyOf(former).id]])
  expect((await reading({ yaml: byEnv, environment: { VAULT_KEY: text } })).encryption?.key.id).toBe(id)
  expect(await reading({ yaml: 'vault: ./redrive.db' })).not.toHaveProperty('encryption')
})

test('a configuration that was read writes its key out nowhere', async () => {
  const config = await reading({ yaml: byEnv, environment: { VAULT_KEY: text } })
  const written = `${inspect(config, { depth: 9, showHidden: true })}${JSON.stringify(config)}`
  for (const form of [text, bytes.toString('hex')]) expect(written).not.toContain(form)
})

test.each<readonly [string, Given]>([
  ['key names an environment variable that is not set.', { yaml: byEnv }],
  ['key names an environment variable whose value is empty.', { yaml: byEnv, environment: { VAULT_KEY: '' } }],
  [
    'key names an environment variable whose value has 31 bytes; AES-256 needs 32.',
    { yaml: byEnv, environment: { VAULT_KEY: randomBytes(31).toString('base64') } },
  ],
  ['key names a file that cannot be read.', { yaml: byFile }],
  ['key names a file whose content has 16 bytes; AES-256 needs 32.', { yaml: byFile, file: randomBytes(16).toString('base64') }],
  ['key names something that is no file of a key.', { yaml: 'encryption: { key: { file: . } }' }],
  [
    'formerKeys[0] is a key that stands there already.',
    { yaml: 'encryption: { key: { env: A }, formerKeys: [{ env: B }] }', environment: { A: text, B: bytes.toString('hex') } },
  ],
])('encryption.%s', async (problem, given) => {
  const [path = ''] = problem.split(' ')
  expect(await mistakesIn(given)).toEqual([`encryption.${path}: encryption.${problem}`])
})

test.each([0o644, 0o604, 0o660, 0o666])('a file of a key with the mode %o is refused', async (mode) => {
  expect(await mistakesIn({ yaml: byFile, file: text, mode })).toEqual([expect.stringContaining('chmod 600')])
})

test.each([0o400, 0o600, 0o440, 0o640])('a file of a key with the mode %o is taken', async (mode) => {
  expect((await reading({ yaml: byFile, file: text, mode })).encryption?.key.id).toBe(id)
})

test.each([
  ['the key itself', `encryption: { key: ${text} }`, /a secret/],
  ['the key in place of a name', `encryption: { key: { env: ${text} } }`, /is not set/],
  ['the key in place of a file', `encryption: { key: { file: ${text} } }`, /cannot be read/],
  ['both', 'encryption: { key: { env: A, file: b } }', /either env or file/],
  ['neither', 'encryption: { key: {} }', /either env or file/],
  ['no key', 'encryption: { formerKeys: [] }', /missing/],
])('%s is a mistake, and is not shown', async (_, yaml, problem) => {
  expect(await mistakesIn({ yaml, environment: { VAULT_KEY: text } })).toEqual([expect.stringMatching(problem)])
})

test('what would undo it, or find nothing because of it, is a mistake', async () => {
  const yaml = `${byEnv}
connections: { shop: { transport: embedded, file: shop.db } }
sources: [{ connection: shop, channel: dlq, mode: collect, searchBodies: true }]
triage:
  - { name: a, filter: 'header.x:1', discard: true }
  - { name: b, filter: '-(key:1 OR body:word)', discard: true }
  - { name: c, filter: 'channel:clicks', discard: true }`
  const paths = (await mistakesIn({ yaml, environment: { VAULT_KEY: text } })).map((mistake) => mistake.split(':')[0])
  expect(paths).toEqual(['sources[0].searchBodies', 'triage[0].filter', 'triage[1].filter'])
})

test('without a configuration the environment says it', async () => {
  const folder = tmpdir()
  expect(await keysFromEnvironment({ folder, environment: {} })).toBeUndefined()
  expect(await keysFromEnvironment({ folder, environment: { REDRIVE_VAULT_KEY: text } })).toMatchObject({ key: { id } })
  expect(await keysFromEnvironment({ folder, environment: { REDRIVE_VAULT_KEY_FILE: './no such file' } })).toHaveProperty(
    'problem',
  )
})
