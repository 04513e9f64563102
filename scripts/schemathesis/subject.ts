import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runControlPlane } from '../../src/cli/run-control-plane.ts'
import type { Config } from '../../src/config/config.ts'
import { alertingOf } from '../../src/config/read-config.ts'
import { startDemo } from '../../src/demo/demo.ts'
import { channels } from '../../src/demo/payments.ts'
import { systemRandom } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'

/** The real server with letters of real failures, and a token that may do everything. */
export interface Subject {
  readonly address: string
  readonly token: string
  /** What went wrong inside, and no client was told. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

const never = 2 ** 31 - 1

export async function openSubject(): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-schemathesis-'))
  const problems: string[] = []
  const running = await runControlPlane(configIn(folder), {
    onProblem: (problem) => void problems.push(problem),
    async beforeCollecting({ transports }) {
      const transport = transports.get('shop')
      if (!transport) throw new Error('The queue of the subject did not open.')
      return (await startDemo({ transport, clock: systemClock, random: systemRandom, repairAfter: never })).stop
    },
  })
  const { address, firstLink = '' } = running
  const token = await adminToken(address, new URL(firstLink).searchParams.get('token') ?? '')
  await somethingToSee(address, token)
  return {
    address,
    token,
    problems,
    async close() {
      await running.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function configIn(folder: string): Config {
  return {
    vault: join(folder, 'vault.db'),
    server: { host: '127.0.0.1', port: 0, behindProxy: false, session: { idle: 600_000, absolute: 600_000 } },
    connections: new Map([
      ['shop', { transport: 'embedded', options: { file: join(folder, 'queue.db'), durability: 'normal' } }],
    ]),
    sources: [{ connection: 'shop', channel: channels.deadSettlements, mode: 'collect' }],
    retention: {},
    mask: { headers: [], paths: [] },
    replays: {},
    triage: [],
    rules: [],
    maintenance: [],
    notifiers: new Map(),
    alerting: alertingOf({}),
    login: { passwords: true },
  }
}

const password = 'correct horse battery'

/** As a person comes in: by the link; then with the right to see payloads, which ends the session; then a token for programs. */
async function adminToken(address: string, link: string): Promise<string> {
  const atFirst = await signedIn(address, '/setup', { token: link, password })
  const seen = await call(address, 'GET', '/users/1', atFirst)
  await call(address, 'PATCH', '/users/1', { ...atFirst, 'if-match': seen.headers.get('etag') ?? '' }, { reveal: true })
  const again = await signedIn(address, '/session', { name: 'admin', password })
  const made = await call(address, 'POST', '/tokens', again, { name: 'schemathesis', role: 'admin', reveal: true })
  return ((await made.json()) as { readonly secret: string }).secret
}

async function signedIn(address: string, path: string, body: object): Promise<Record<string, string>> {
  const { headers } = await call(address, 'POST', path, {}, body)
  const cookies = headers.getSetCookie().map((each) => each.split(';', 1)[0])
  return { cookie: cookies.join('; '), origin: address, 'sec-fetch-site': 'same-origin' }
}

async function call(
  address: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Response> {
  const json = body && { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await fetch(`${address}/api/v1${path}`, { method, headers, ...json })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

/** Letters to ask for, and replays to steer. */
async function somethingToSee(address: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  for (let found = 0; found < 10; ) {
    const answer = await call(address, 'GET', '/letters?limit=10', headers)
    found = ((await answer.json()) as { readonly letters: readonly unknown[] }).letters.length
  }
  for (const letter of [1, 2, 3]) {
    await call(address, 'POST', '/replays', headers, { name: `of letter ${letter}`, selection: { letters: [letter] } })
  }
}
