import { afterAll, describe, expect, test } from 'vitest'
import { createPasswords } from '../../src/server/passwords.ts'
import { roles } from '../../src/server/rights.ts'
import { drawSecurely, drawToken, fingerprintOf } from '../../src/server/secrets.ts'
import { api, createWorld, fromOwnPage, inject, type World } from './server.fixture.ts'

/** Who may use a route, written down once more by hand: a table that was made from the rights would agree with every mistake in them. */
const anybody = ['consumer', 'viewer', 'reader', 'operator', 'editor', 'approver', 'admin']
const everybody = ['viewer', 'reader', 'operator', 'editor', 'approver', 'admin']
const whoReads = ['reader', 'operator', 'editor', 'approver', 'admin']
const whoOperates = ['operator', 'editor', 'admin']
const whoStarts = ['operator', 'editor', 'approver', 'admin']
const whoEdits = ['editor', 'admin']
const whoReports = ['consumer', 'admin']
const admins = ['admin']
/** Only who was given payload:reveal; no role brings it. */
const nobodyByRole: readonly string[] = []

interface Sample {
  readonly for: readonly string[]
  /** What those who may are answered; it must be the same however often it is asked. */
  readonly gives: number
  readonly body?: object
  readonly query?: string
  readonly headers?: Record<string, string>
  /** A token is not enough. */
  readonly personOnly?: boolean
}

const quietReport = {
  ...{ service: 'matrix', instance: 'x', run: 'x', number: 1, version: null, environment: 'test', every: 5000, isLast: false },
  ...{ channels: [], deadLettered: [], succeeded: [], forgotten: 0 },
}
const letters = { selection: { filter: 'id:999999' } }
const samples: Readonly<Record<string, Sample>> = {
  'GET /letters': { for: everybody, gives: 200 },
  'GET /letters/count': { for: everybody, gives: 200 },
  'GET /letters/:id': { for: everybody, gives: 404 },
  'GET /letters/:id/content': { for: whoReads, gives: 404 },
  'GET /letters/:id/raw': { for: nobodyByRole, gives: 404 },
  'POST /letters/:id/edits/check': { for: whoEdits, gives: 404, body: { text: '{}' } },
  'POST /letters/:id/edits': { for: whoEdits, gives: 404, body: { body: null } },
  'POST /letters/discard': { for: whoOperates, gives: 200, body: letters },
  'POST /letters/restore': { for: whoOperates, gives: 200, body: letters },
  'POST /letters/purge': { for: admins, gives: 200, body: { ...letters, confirm: 'purge' } },
  'POST /letters/:id/erase': { for: admins, gives: 404, body: { confirm: 'erase' } },
  'POST /letters/:id/notes': { for: whoOperates, gives: 404, body: { text: 'x' } },
  'POST /letters/decide-unknown': { for: whoOperates, gives: 200, body: { letters: [999999], verdict: 'open' } },
  'GET /causes': { for: everybody, gives: 200 },
  'GET /causes/:id': { for: everybody, gives: 404 },
  'PUT /causes/:id/judgement': { for: whoOperates, gives: 404, body: { state: 'acknowledged' } },
  'PUT /causes/:id/owner': { for: whoOperates, gives: 404, body: { owner: 'x' } },
  'POST /causes/:id/merge': { for: whoOperates, gives: 404, body: { causes: [2], reason: 'x' } },
  'POST /causes/:id/split': { for: whoOperates, gives: 404, body: { rule: 'service:x', reason: 'x' } },
  'GET /cause-decisions/:id': { for: everybody, gives: 404 },
  'POST /cause-decisions/:id/undo': { for: whoOperates, gives: 404, body: { reason: 'x' } },
  'POST /causes/:id/notes': { for: whoOperates, gives: 404, body: { text: 'x' } },
  'POST /replays/preview': { for: whoOperates, gives: 200, body: letters },
  'POST /replays': { for: whoOperates, gives: 422, body: { ...letters, name: 'x' } },
  'GET /replays': { for: everybody, gives: 200 },
  'GET /replays/:id': { for: everybody, gives: 404 },
  'GET /replays/:id/ledger': { for: everybody, gives: 404 },
  'POST /replays/:id/schedule': { for: whoStarts, gives: 404, body: { at: 1 } },
  'POST /replays/:id/start': { for: whoStarts, gives: 404 },
  'POST /replays/:id/pause': { for: whoOperates, gives: 404 },
  'POST /replays/:id/resume': { for: whoOperates, gives: 404 },
  'POST /replays/:id/cancel': { for: whoOperates, gives: 404 },
  'GET /sources/findings': { for: everybody, gives: 200 },
  'GET /sources/trends': { for: everybody, gives: 200 },
  'GET /sources': { for: everybody, gives: 200 },
  'GET /consumers': { for: everybody, gives: 200 },
  'POST /consumers/heartbeat': { for: whoReports, gives: 200, body: quietReport },
  'POST /consumers/pause': { for: whoOperates, gives: 404, body: { service: 'x', channel: 'x' } },
  'POST /consumers/resume': { for: whoOperates, gives: 404, body: { service: 'x', channel: 'x' } },
  'POST /consumers/:id/forget': { for: whoOperates, gives: 404 },
  'GET /conservation': { for: everybody, gives: 200 },
  'GET /flow': { for: everybody, gives: 200 },
  'GET /failure-rates': { for: everybody, gives: 200 },
  'GET /trace': { for: everybody, gives: 200, query: '?correlationId=c-1' },
  'GET /session': { for: anybody, gives: 200 },
  'DELETE /session': { for: anybody, gives: 204, personOnly: true },
  'PUT /session/password': { for: anybody, gives: 422, body: { current: 'right one', password: 'x' }, personOnly: true },
  'GET /tokens': { for: anybody, gives: 200, personOnly: true },
  'POST /tokens': { for: everybody, gives: 201, body: { name: 'x', role: 'viewer' }, personOnly: true },
  'DELETE /tokens/:id': { for: anybody, gives: 404, personOnly: true },
  'GET /users': { for: admins, gives: 200 },
  'GET /users/:id': { for: admins, gives: 404 },
  'POST /users': { for: admins, gives: 409, body: { name: 'taken', role: 'viewer' } },
  'PATCH /users/:id': { for: admins, gives: 404, body: {}, headers: { 'if-match': '"1"' } },
  'POST /users/:id/link': { for: admins, gives: 404 },
  'GET /audit': { for: admins, gives: 200 },
  'GET /audit/verification': { for: admins, gives: 200 },
  'GET /notifiers': { for: everybody, gives: 200 },
  'GET /otlp': { for: everybody, gives: 200 },
  'GET /control-plane': { for: everybody, gives: 200 },
  'POST /notifiers/:name/test': { for: whoOperates, gives: 404 },
  'GET //metrics': { for: everybody, gives: 200 },
  'GET /openapi.json': { for: anybody, gives: 200 },
  // An id that cannot be keeps the stream from opening; the others are refused before anybody looks at it.
  'GET /events': { for: everybody, gives: 400, headers: { 'last-event-id': 'x'.repeat(101) } },
  'GET /alerts': { for: everybody, gives: 200 },
  'GET /alerts/:fingerprint': { for: everybody, gives: 400 },
  'POST /alerts/:fingerprint/acknowledge': { for: whoOperates, gives: 400, body: { until: 1 } },
  'POST /alerts/:fingerprint/unacknowledge': { for: whoOperates, gives: 400 },
  'POST /alerts/:fingerprint/snooze': { for: whoOperates, gives: 400, body: { until: 1 } },
  'POST /alerts/:fingerprint/unsnooze': { for: whoOperates, gives: 400 },
  'GET /silences': { for: everybody, gives: 200 },
  'POST /silences': { for: whoOperates, gives: 400, body: {} },
  'POST /silences/:id/extend': { for: whoOperates, gives: 400, body: {} },
  'POST /silences/:id/end': { for: whoOperates, gives: 404 },
  'GET /rules': { for: everybody, gives: 200 },
  'POST /rules/:rule/test': { for: everybody, gives: 404, body: { since: 0 } },
  'GET /deliveries': { for: everybody, gives: 200 },
  'POST /deliveries/:id/redeliver': { for: whoOperates, gives: 404 },
}

/** What a stranger may ask. What is outside of the API begins with two slashes. */
const open: Readonly<Record<string, { readonly gives: number; readonly body?: object }>> = {
  'GET //healthz': { gives: 200 },
  'GET //readyz': { gives: 200 },
  'GET //setup': { gives: 200 },
  'POST //setup': { gives: 400, body: {} },
  'POST /session': { gives: 400, body: {} },
  'GET /login': { gives: 200 },
  // This server has no issuer.
  'POST /session/oidc': { gives: 404, body: {} },
  'GET //oidc/callback': { gives: 404 },
  'POST /setup': { gives: 400, body: {} },
}

const shared = await createWorld()
afterAll(() => shared.close())
await shared.vault.write('createUser', { name: 'taken', role: 'viewer', sources: ['*'], reveal: false, now: 0 })

const declared = shared.server.routes
  .filter(({ method }) => method !== 'HEAD')
  .map(({ method, url }) => `${method} ${url.startsWith(api) ? url.slice(api.length) : `/${url}`}`)

async function statusFor(made: World, route: string, who: string): Promise<number> {
  const [method = '', path = ''] = route.split(' ')
  const { body, query = '', headers = {} } = samples[route] ?? ({ ...open[route] } as Partial<Sample>)
  const full = path.startsWith('//') ? path.slice(1) : `${api}${path}`
  const url = `${full.replace(/:id|:name/, '999999')}${query}`
  const credentials = who === 'nobody' ? {} : await credentialsOf(made, who)
  const answer = await inject(made.server, {
    method,
    url,
    headers: { ...fromOwnPage, ...headers, ...credentials },
    ...(body && { body }),
  })
  return answer.statusCode
}

async function credentialsOf({ person, vault, clock }: World, who: string): Promise<Record<string, string>> {
  const { user, cookie } = await person(who.startsWith('token') ? {} : { role: who })
  if (!who.startsWith('token')) {
    await vault.write('setPassword', { id: user.id, password: await knownPassword })
    return { cookie: await signedIn(vault, user.id, clock.now()) }
  }
  const token = drawToken(drawSecurely)
  const grant = { role: 'admin', sources: ['*'], reveal: false }
  const life = { now: clock.now(), expiresAt: clock.now() + 1000 }
  await vault.write('issueToken', { ...grant, ...life, user: user.id, name: 'x', hash: fingerprintOf(token), last4: 'xxxx' })
  return { authorization: `Bearer ${token}`, cookie }
}

const knownPassword = createPasswords(4).hash('right one', 'x')

async function signedIn(vault: World['vault'], user: number, now: number): Promise<string> {
  const secret = drawToken(drawSecurely)
  await vault.write('beginSession', { hash: fingerprintOf(secret), user, now, address: '', begunBefore: 0, usedBefore: 0 })
  return `redrive=${secret}`
}

function wanted(route: string, who: string): number {
  const sample = samples[route]
  if (!sample) return open[route]?.gives ?? Number.NaN
  if (who === 'nobody') return 401
  if (who === 'token of an admin') return sample.personOnly || !sample.for.includes('admin') ? 403 : sample.gives
  return sample.for.includes(who) ? sample.gives : 403
}

describe('case 14: every route is for those who may, and for nobody else', () => {
  test('every route that is declared stands in a table here, and every row of a table is declared', () => {
    expect(declared.toSorted()).toEqual([...Object.keys(samples), ...Object.keys(open)].toSorted())
  })

  const rows = declared.flatMap((route) => [...roles, 'nobody', 'token of an admin'].map((who) => [route, who] as const))
  test.each(rows)('%s as %s', async (route, who) => {
    expect(await statusFor(shared, route, who)).toBe(wanted(route, who))
  })

  test('a right that slipped is seen', async () => {
    const made = await createWorld()
    const slipped = made.server.routes.find(({ url }) => url === `${api}/letters/discard`)
    Object.assign(slipped?.rule ?? {}, { need: 'metadata:read' })
    try {
      expect(await statusFor(made, 'POST /letters/discard', 'viewer')).not.toBe(wanted('POST /letters/discard', 'viewer'))
    } finally {
      // The rule is one object for all servers of this process.
      Object.assign(slipped?.rule ?? {}, { need: 'letters:discard' })
      await made.close()
    }
  })

  test('case 15: what a viewer tries stands in the audit trail as denied', async () => {
    const { ask } = await shared.person({ role: 'viewer', name: 'curious' })
    for (const url of ['/letters/discard', '/letters/1/edits', '/replays', '/users']) {
      expect((await ask('POST', url, {})).statusCode).toBe(403)
    }
    expect((await ask('GET', '/letters/1/content?reveal=true')).statusCode).toBe(403)
    const denied = (await shared.audit()).filter(({ actor }) => actor === 'curious')
    expect(denied.map(({ action, result }) => `${action} ${result}`)).toEqual([
      'letters.discard denied',
      'letters.edit denied',
      'replays.seal denied',
      'users.create denied',
      'payload.read denied',
    ])
  })
})
