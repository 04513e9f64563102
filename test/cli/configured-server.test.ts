import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runControlPlane } from '../../src/cli/run-control-plane.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { drawSecurely, drawToken, fingerprintOf } from '../../src/server/secrets.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import { deadLetter, keep, sourceIn, temporaryFolder } from '../control/letters.fixture.ts'

const yaml = `
vault: vault.db
server:
  publicUrl: https://redrive.example
  session: { idle: 1m, absolute: 5m }
replays: { needsSecondPersonAbove: 0 }
mask:
  headers: [x-patient-*]
  paths: [$.ward]
`

/** A letter in the vault, and a token of an admin, before anything is started. */
async function prepared(file: string): Promise<{ readonly letter: number; readonly authorization: string }> {
  const vault = sqliteVault({ file })
  const body = JSON.stringify({ ward: 'north wing', order: 7, card: '4111' })
  const message = deadLetter({ n: 1, body, headers: [['X-Patient-Name', 'J. Doe']] })
  const [letter = 0] = await keep(vault, await sourceIn(vault), [message])
  const now = Date.now()
  const grant = { role: 'admin', sources: ['*'], reveal: false }
  const { id: user } = await vault.write('createUser', { ...grant, name: 'ana', now })
  const token = drawToken(drawSecurely)
  const life = { now, expiresAt: now + 3_600_000 }
  await vault.write('issueToken', { ...grant, ...life, user, name: 'x', hash: fingerprintOf(token), last4: token.slice(-4) })
  await vault.close()
  return { letter, authorization: `Bearer ${token}` }
}

test('what the configuration says about masking, addresses and second persons is what the server does', {
  timeout: 240_000,
}, async () => {
  const folder = temporaryFolder()
  const { letter, authorization } = await prepared(join(folder, 'vault.db'))
  const config = await readConfig(yaml, { file: 'redrive.yaml', folder, environment: {} })
  const running = await runControlPlane({ ...config, server: { ...config.server, port: 0 } }, { onProblem: () => {} })
  onTestFinished(() => running.close())
  const ask = async (path: string, body?: object): Promise<{ status: number; json: Record<string, unknown> }> => {
    const answer = await fetch(`${running.address}/api/v1${path}`, {
      headers: {
        authorization,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': randomBytes(8).toString('hex') }),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
  }

  const { json: content } = await ask(`/letters/${letter}/content`)
  expect(content).toMatchObject({ isMasked: true, body: { kind: 'json', value: { ward: '•••', order: 7, card: '•••' } } })
  expect(content['headers']).toContainEqual(['X-Patient-Name', '•••'])

  const sealed = await ask('/replays', { name: 'x', selection: { letters: [letter] } })
  expect(sealed.status).toBe(201)
  const { id } = sealed.json['replay'] as { id: number }
  expect(await ask(`/replays/${id}/start`, {})).toMatchObject({ status: 403, json: { code: 'not-allowed' } })

  expect(running.firstLink).toMatch(/^https:\/\/redrive\.example\/setup\?token=[\w-]{43}$/)
})
