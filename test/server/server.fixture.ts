import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify'
import { onTestFinished, vi } from 'vitest'
import { RedriveError } from '../../src/core/errors.ts'
import { present } from '../../src/core/present.ts'
import type { AlertingSetup } from '../../src/ops/alerts/start-alerting.ts'
import type { Change } from '../../src/ops/control-plane.ts'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import type { TransportNamed } from '../../src/ops/replay/send-letter.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { type VirtualClock, virtualClock } from '../../src/platform/virtual-clock.ts'
import { fingerprintOf } from '../../src/server/secrets.ts'
import { createServer, type Server, type ServerOptions } from '../../src/server/server.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import type { Transport } from '../../src/transports/seam.ts'
import type { Grant, User } from '../../src/vault/operations/accounts.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, sourceIn } from '../control/letters.fixture.ts'
import { serverVault } from '../control/vaults-under-test.ts'

/** Every world has files, threads and durable writes of its own, which a busy machine is slow at. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** A server on a real vault with the real control plane; only its clock stands still, and no broker is there. */
export interface World {
  readonly server: Server
  readonly vault: Vault
  readonly file: string
  readonly clock: VirtualClock
  readonly problems: unknown[]
  /** Two sources with three letters each. */
  readonly orders: readonly number[]
  readonly invoices: readonly number[]
  /** A user who is signed in. */
  person(grant?: Partial<Grant> & { name?: string }): Promise<Person>
  tell(change: Change): void
  audit(): Promise<readonly { actor: string; action: string; object: string; result: string; detail: string; address: string }[]>
  close(): Promise<void>
}

export interface Person {
  readonly user: User
  readonly cookie: string
  /** As a browser page of the server sends it. */
  ask(method: string, url: string, body?: object, headers?: Record<string, string>): Promise<Response>
}

export const api = '/api/v1'
export const ownHost = 'localhost:7333'
export const fromOwnPage: Readonly<Record<string, string>> = {
  'sec-fetch-site': 'same-origin',
  host: ownHost,
  origin: `http://${ownHost}`,
}

export const secretOf = (n: number): string => `4111-1111-${n}`

const noBroker = (): Transport => ({
  ...memory(),
  send: () => Promise.reject(new RedriveError('refused', 'No broker here.')),
})

export async function createWorld(
  options: Partial<ServerOptions> = {},
  transportNamed: TransportNamed = noBroker,
  alerting?: AlertingSetup,
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-server-'))
  const file = join(folder, 'vault.db')
  const vault = serverVault(file) ?? sqliteVault({ file })
  const clock = virtualClock({ start: noon })
  const problems: unknown[] = []
  const orders = await keep(vault, await sourceIn(vault, 'dlq.orders'), [1, 2, 3].map(letterOf))
  const invoices = await keep(vault, await sourceIn(vault, 'dlq.invoices'), [4, 5, 6].map(letterOf))
  const listeners = new Set<(change: Change) => void>()
  const controlPlane = createControlPlane({
    vault,
    clock,
    newId: newUuid,
    draw: randomBytes,
    sources: [],
    transportNamed,
    ...present({ alerting }),
  })
  const watched = {
    ...controlPlane,
    onChange(listener: (change: Change) => void) {
      listeners.add(listener)
      const stop = controlPlane.onChange(listener)
      return () => {
        listeners.delete(listener)
        stop()
      }
    },
  }
  const onProblem = (problem: unknown): void => void problems.push(problem)
  const server = await createServer({ controlPlane: watched, vault, clock, passwordCost: 4, onProblem, ...options })
  let people = 0

  return {
    server,
    vault,
    file,
    clock,
    problems,
    orders,
    invoices,
    tell: (change) => {
      for (const listener of listeners) listener(change)
    },
    async person({ name = `person-${people++}`, role = 'admin', sources = ['*'], reveal = false } = {}) {
      const user = await vault.write('createUser', { name, role, sources, reveal, now: clock.now() })
      const secret = randomBytes(32).toString('base64url')
      const now = clock.now()
      await vault.write('beginSession', {
        hash: fingerprintOf(secret),
        user: user.id,
        now,
        address: '127.0.0.1',
        begunBefore: 0,
        usedBefore: 0,
      })
      const cookie = `redrive=${secret}`
      return {
        user,
        cookie,
        ask: (method, url, body, headers = {}) =>
          inject(server, { method, url: `${api}${url}`, headers: { ...fromOwnPage, cookie, ...headers }, ...(body && { body }) }),
      }
    },
    audit: async () => (await vault.read('listAudit', { limit: 1000 })).toReversed(),
    async close() {
      await server.close()
      await controlPlane.close()
      await vault.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** One that ends with its test. */
export async function world(
  options: Partial<ServerOptions> = {},
  transportNamed?: TransportNamed,
  alerting?: AlertingSetup,
): Promise<World> {
  const made = await createWorld(options, transportNamed, alerting)
  onTestFinished(() => made.close())
  return made
}

export function inject(server: Server, request: { method: string; [name: string]: unknown }): Promise<Response> {
  return server.app.inject(request as InjectOptions) as Promise<Response>
}

function letterOf(n: number): ReturnType<typeof deadLetter> {
  return deadLetter({
    n,
    key: `customer-${n}`,
    correlation: `c-${n % 3}`,
    body: JSON.stringify({ order: n, card: secretOf(n) }),
    headers: [['x-api-key', `key-${secretOf(n)}`]],
  })
}

/** The disk of the vault takes no more notes. */
export function fillUp(vault: Vault): void {
  const original = vault.write
  const full = new RedriveError('store-full', 'The disk is full.')
  Object.assign(vault, {
    write: (name: string, input: unknown) =>
      name === 'appendAudit' ? Promise.reject(full) : original(name as never, input as never),
  })
}
