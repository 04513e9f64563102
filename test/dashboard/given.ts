import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { webFolder } from '../../scripts/build-web.ts'
import { defaultRules } from '../../src/core/alerts/default-rules.ts'
import { PermanentError } from '../../src/core/tagged-errors.ts'
import { createNotifiers, type Notifiers } from '../../src/notifiers/notifiers.ts'
import type { Sink } from '../../src/notifiers/sink.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid, systemRandom } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { compileSchema } from '../../src/platform/json-schema.ts'
import { type Consumer, createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage, type MessageDefinition } from '../../src/runtime/define-message.ts'
import { createProducer } from '../../src/runtime/producer.ts'
import { drawSecurely, drawToken, fingerprintOf } from '../../src/server/secrets.ts'
import { createServer, type ServerOptions } from '../../src/server/server.ts'
import { embedded } from '../../src/transports/embedded/embedded.ts'
import type { Transport } from '../../src/transports/seam.ts'
import type { Grant } from '../../src/vault/operations/accounts.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { until } from '../until.ts'

export interface Order {
  readonly order: number
  readonly country: string
  readonly card: string
}

export const Ordered: MessageDefinition<Order> = defineMessage(
  'order.placed',
  z.object({ order: z.number(), country: z.string(), card: z.string() }),
)

export const cardOf = (order: number): string => `4111-1111-1111-${order}`

/** A shop on a real queue, whose dead letters a real control plane collects and a real server shows. Nothing of it is made up. */
export interface Shop {
  readonly address: string
  /** Where the first admin sets a password. */
  readonly firstLink: string
  readonly vault: Vault
  readonly plane: RunningControlPlane
  /** Orders that were shipped. */
  readonly shipped: number[]
  /** Until then every order to Germany dies. Those to nowhere, XX, die always, those to ZZ at the third attempt, and those to Austria never. */
  repair(): void
  order(order: number, country: string): Promise<void>
  /** Waits until so many letters are open in the vault. */
  untilOpen(letters: number): Promise<void>
  /** Somebody who is signed in, as the cookie that says so. */
  person(grant?: Partial<Grant> & { readonly name?: string }): Promise<{ readonly name: string; readonly secret: string }>
  audit(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface ShopOptions {
  /** The queue, for the shop and for its control plane; it is closed with the shop. Without one the shop has an embedded one of its own. */
  readonly on?: { readonly theirs: Transport; readonly ours: Transport }
  /** What the control plane has between itself and the queue. */
  readonly wrap?: (transport: Transport) => Transport
  /** The control plane watches by the default rules and tells these; without it, it does not watch. */
  readonly tells?: readonly Sink[]
  /** The consumer reports to the control plane and does what it is told. */
  readonly reports?: boolean
  /** What orders have to look like, as a JSON Schema. */
  readonly schema?: object
  /** The issuer with whom people sign in. */
  readonly login?: Pick<ServerOptions, 'oidc' | 'takesPasswords'>
}

/** One that ends with its test. */
export async function aShop(options: ShopOptions = {}): Promise<Shop> {
  const shop = await openShop(options)
  onTestFinished(() => shop.close())
  return shop
}

const reportsEvery = '1s'
const probeEvery = 250

/** One that several tests share; whoever opens it closes it. */
export async function openShop(options: ShopOptions = {}): Promise<Shop> {
  const { on, wrap = (transport) => transport, tells, reports = false, schema, login } = options
  const folder = mkdtempSync(join(tmpdir(), 'redrive-dashboard-'))
  const transport = on?.theirs ?? embedded({ file: join(folder, 'queue.db') })
  const vault = sqliteVault({ file: join(folder, 'vault.db') })
  const ours = wrap(on?.ours ?? transport)
  const notifiers = tells && notifiersFor(vault, tells)
  const plane = createControlPlane({
    ...{ vault, clock: systemClock, newId: newUuid, draw: randomBytes },
    sources: [
      {
        ...{ connection: 'shop', transport: ours, address: { name: 'dlq.orders' }, mode: 'collect', probeEvery },
        ...(schema && { schemas: new Map([[Ordered.type, compileSchema(schema)]]) }),
      },
    ],
    transportNamed: (name) => (name === 'shop' ? ours : undefined),
    ...(notifiers && { alerting: alertingBy(notifiers) }),
  })
  const pages = resolve(webFolder)
  const server = await createServer({
    controlPlane: plane,
    vault,
    pages,
    passwordCost: 4,
    ...(notifiers && { notifiers }),
    ...login,
  })
  const firstLink = await server.firstLink()
  const address = await server.listen()
  const works = { shipped: [] as number[], isBroken: true }
  const reporting = reports && { controlPlane: { url: address, token: await consumerToken(vault), every: reportsEvery } }
  const consumer = createConsumer({ transport, service: 'shop', version: '2.4.0', logger: false, ...reporting })
  takeOrders(consumer, works)
  await consumer.start()
  await notifiers?.start()
  await plane.start()
  const producer = createProducer({ transport })
  let people = 0

  return {
    address,
    firstLink: `${address}${firstLink}`,
    vault,
    plane,
    shipped: works.shipped,
    repair() {
      works.isBroken = false
    },
    async order(order, country) {
      await producer.send(
        Ordered,
        { order, country, card: cardOf(order) },
        { channel: 'orders', correlationId: `order-${order}` },
      )
    },
    untilOpen: (letters) =>
      until(`${letters} letters are open`, async () => {
        const open = await plane.letters.find({ filter: 'state:open', limit: 1000 })
        return open.letters.length === letters
      }),
    person: async ({ name = `person-${++people}`, role = 'admin', sources = ['*'], reveal = false } = {}) => {
      const now = Date.now()
      const user = await vault.write('createUser', { name, role, sources, reveal, now })
      const secret = randomBytes(32).toString('base64url')
      const session = { hash: fingerprintOf(secret), user: user.id, now, address: '127.0.0.1', begunBefore: 0, usedBefore: 0 }
      await vault.write('beginSession', session)
      return { name, secret }
    },
    audit: async () => {
      const rows = await vault.read('listAudit', { limit: 1000 })
      return rows.toReversed().map(({ actor, action, object, result }) => `${actor} ${action} ${object} ${result}`)
    },
    async close() {
      await consumer.stop()
      await server.close()
      await plane.close()
      await notifiers?.stop()
      await vault.close()
      await transport.close()
      if (ours !== transport) await ours.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function takeOrders(consumer: Consumer, works: { readonly shipped: number[]; readonly isBroken: boolean }): void {
  const delayed = { retries: 2, backoff: { first: '10ms', jitter: 0 } } as const
  consumer
    .channel('orders', { deadLetter: 'dlq.orders', retry: { immediate: 0, delayed } })
    .on(Ordered, async ({ order, country }, { attempt }) => {
      if (country === 'ZZ') throw new RangeError(`The carrier is asleep, ring no. ${attempt}`)
      if (country === 'XX') throw new PermanentError('Nobody brings parcels there', { reason: 'BadAddress' })
      if (works.isBroken && country === 'DE')
        throw new PermanentError('The carrier refuses our certificate', { reason: 'Carrier' })
      works.shipped.push(order)
    })
}

function notifiersFor(vault: Vault, sinks: readonly Sink[]): Notifiers {
  const ports = { vault, clock: systemClock, random: systemRandom, newId: newUuid, instance: 'redrive-1' }
  return createNotifiers({ ...ports, sinks, onProblem: () => undefined })
}

function alertingBy({ sinks, wake }: Notifiers): NonNullable<Parameters<typeof createControlPlane>[0]['alerting']> {
  return { rules: defaultRules, sinks, windows: [], instance: 'redrive-1', random: systemRandom, onSaid: wake }
}

async function consumerToken(vault: Vault): Promise<string> {
  const secret = drawToken(drawSecurely)
  const now = Date.now()
  const grant = { role: 'consumer', sources: ['*'], reveal: false }
  const { id: user } = await vault.write('createUser', { name: 'the consumer', ...grant, now })
  const token = { user, name: 'reports', hash: fingerprintOf(secret), last4: secret.slice(-4), now, expiresAt: now + 86_400_000 }
  await vault.write('issueToken', { ...token, ...grant })
  return secret
}
