import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import { createHttpClient, type HttpClient } from '../../src/cli/plane/http-client.ts'
import { remotePlane } from '../../src/cli/plane/remote-plane.ts'
import { secrets } from '../../src/cli/plane/secrets.ts'
import { accessIn } from '../../src/ops/access/access-in.ts'
import type { ControlPlane } from '../../src/ops/control-plane.ts'
import type { Duty } from '../../src/ops/several/duty.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { type PostgresVault, postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import { placeOn, withClient } from '../brokers/postgres.ts'
import { deadLetter } from '../control/letters.fixture.ts'
import { until } from '../until.ts'
import type { InstanceOrder, Plant } from './instance.program.ts'

export const grave = 'dlq.orders'
export const origin = 'orders'

/** A vault and a broker on one server, and control planes in processes of their own. */
export interface House {
  readonly vault: PostgresVault
  readonly transport: Transport
  readonly token: string
  /** Whose turn it is, by when that began, and until when it lasts, as the server has them; `isForsaken` when that is long over and nobody has taken it. */
  lease(): Promise<{ readonly since: string; readonly endsAt: string; readonly isForsaken: boolean }>
  /** Asks the tables of the vault, as an observer that knows nothing of ours. */
  barely<Row>(sql: string): Promise<readonly Row[]>
  start(...plants: readonly Plant[]): Promise<Instance>
}

/** A control plane in a process of its own. */
export interface Instance {
  readonly address: string
  readonly http: HttpClient
  readonly plane: ControlPlane
  duty(): Promise<Duty>
  /** The channels that it collects, by its own word. */
  collects(): Promise<readonly string[]>
  /** In order, as Ctrl-C does. */
  stop(): Promise<void>
  kill(): Promise<void>
  /** Where it holds what it took from its broker: what it says next of that. */
  says(): Promise<string>
  letGo(): void
  freeze(): void
  wake(): void
}

const program = fileURLToPath(new URL('./instance.program.ts', import.meta.url))
/** Processes start one after the other, which a busy machine is slow at; leases of seconds end in between. Milliseconds. */
export const patience = 600_000

/** Who is told what is to be done when all is over, the last one first. */
export type AtEnd = (work: () => Promise<void>) => void

let houses = 0

export async function openHouse(
  broker: Broker,
  more = '',
  atEnd: AtEnd = onTestFinished,
  graves: readonly string[] = [grave],
  connection = '',
): Promise<House> {
  const place = placeOn(broker)
  const schema = `house_${++houses}`
  const url = `${broker.url}?schema=${schema}`
  const vault = postgresVault({ url })
  const transport = place.open()
  atEnd(async () => {
    await transport.close()
    await vault.close()
  })
  const dead = graves.map((name) => ({ address: { name }, role: 'dead-letter' as const }))
  await place.provision(...dead, { address: { name: origin }, role: 'work' })
  const access = accessIn({ vault, clock: systemClock, secrets, actor: 'test' })
  const grant = { role: 'admin', sources: ['*'], reveal: true }
  await access.users.create({ name: 'ana', ...grant })
  const { secret: token } = await access.tokens.create({ user: 'ana', name: 'test', days: 1, ...grant })
  const yaml = `
vault: "${url}"
connections:
  shop: { transport: postgres, url: "${broker.url}", schema: ${place.schema}, ${connection} }
sources:
${graves.map((name) => `  - { connection: shop, channel: ${name}, mode: collect, probeEvery: 1s }`).join('\n')}
${more}`
  const folder = await mkdtemp(join(tmpdir(), 'redrive-house-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return {
    ...{ vault, transport, token },
    lease: () =>
      withClient(broker.url, async (client) => {
        const sql = `SELECT since::text, expires_at::text AS "endsAt", expires_at < clock_timestamp() - interval '15 seconds' AS "isForsaken"
          FROM ${schema}.control_plane`
        return (await client.query(sql)).rows[0]
      }),
    barely: (sql) =>
      withClient(broker.url, async (client) => {
        await client.query(`SET search_path TO ${schema}`)
        return (await client.query(sql)).rows
      }),
    start: (...plants) => startInstance({ yaml, folder, plants }, token, atEnd),
  }
}

async function startInstance(order: InstanceOrder, token: string, atEnd: AtEnd): Promise<Instance> {
  const child: ChildProcess = fork(program, [JSON.stringify(order)], { execArgv: [] })
  const ended = once(child, 'exit')
  atEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const [address] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`It ended with ${code}.`))),
  ])) as [string]
  const http = createHttpClient({ url: address, token, newId: newUuid })
  const duty = (): Promise<Duty> => http.get<Duty>('/control-plane')
  return {
    address,
    http,
    plane: remotePlane(http),
    duty,
    async collects() {
      const { instance, sources } = await duty()
      return sources.filter(({ collector }) => collector?.name === instance).map(({ channel }) => channel)
    },
    async stop() {
      child.send('stop')
      await ended
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async says() {
      const [text] = (await once(child, 'message')) as [string]
      return text
    },
    letGo: () => void child.send('let go'),
    freeze: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
  }
}

/** Which of several it is, as soon as it is one of them. */
export type Who = (instances: readonly Instance[]) => Promise<Instance>

export const whoWorks: Who = (instances) => oneThat('works', instances, async (each) => (await each.duty()).works)
export const whoCollects: Who = (instances) => oneThat('collects', instances, async (each) => (await each.collects()).length > 0)

async function oneThat(
  does: string,
  instances: readonly Instance[],
  isIt: (each: Instance) => Promise<boolean>,
): Promise<Instance> {
  let found: Instance | undefined
  await until(
    `one of them ${does}`,
    async () => {
      for (const each of instances) if (await isIt(each)) found = each
      return found !== undefined
    },
    patience,
  )
  if (!found) throw new Error(`Nobody ${does}.`)
  return found
}

export interface Pair {
  readonly worker: Instance
  /** It stands by. */
  readonly other: Instance
}

export async function startTwo(house: House, ...plants: readonly Plant[]): Promise<Pair> {
  const [one, two] = [await house.start(...plants), await house.start(...plants)]
  const worker = await whoWorks([one, two])
  return { worker, other: worker === one ? two : one }
}

/** Whoever was frozen answers again, and stands by. */
export function standsBy(instance: Instance): Promise<void> {
  return until('the one that woke up stands by', async () => !(await instance.duty()).works, patience)
}

/** Letters come to the dead-letter channel, one after the other. */
export async function die({ transport }: House, from: number, to: number, more: { readonly key?: string } = {}): Promise<void> {
  for (let n = from; n < to; n++) await transport.send({ name: grave }, deadLetter({ n, ...more }))
}

export async function keptIn({ vault }: House): Promise<number> {
  const balances = await vault.read('balanceSources', undefined)
  return balances.reduce((sum, { rows }) => sum + rows, 0)
}

export function allKept(house: House, letters: number): Promise<void> {
  return until(`${letters} letters are kept`, async () => (await keptIn(house)) === letters, patience)
}

/** Asks one of them to send everything back that is open. */
export async function sendBack({ plane }: Pick<Instance, 'plane'>, rate: number): Promise<number> {
  const wishes = { rate, canary: undefined, observe: 3_600_000, name: 'back', actor: 'ana' }
  const { replay } = await plane.replays.seal({ filter: 'state:open' }, wishes)
  await plane.replays.start(replay.id, wishes)
  return replay.id
}

/** Nothing of a replay is left to be sent. */
export function isSent({ plane }: Pick<Instance, 'plane'>, replay: number): Promise<void> {
  return until(
    'all were sent',
    async () => {
      const { planned, claimed } = (await plane.replays.show(replay)).counts
      return planned + claimed === 0
    },
    patience,
  )
}

/** How often each message lies in a queue, by the order that it is about. */
export async function copiesIn(transport: Transport, channel: string): Promise<ReadonlyMap<number, number>> {
  const copies = new Map<number, number>()
  for (let after: string | undefined, more = true; more; ) {
    const { messages, next } = await transport.browse({ name: channel }, { limit: 500, ...(after !== undefined && { after }) })
    for (const { message } of messages) {
      const { order } = JSON.parse(Buffer.from(message.body ?? '').toString()) as { order: number }
      copies.set(order, (copies.get(order) ?? 0) + 1)
    }
    after = next
    more = next !== undefined
  }
  return copies
}
