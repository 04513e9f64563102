import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { postgres } from '../../../src/transports/postgres/postgres.ts'
import type { ServerArena } from '../harness/arena-rows.ts'
import { faultChannels, numberIn } from '../messages.ts'
import type { FoundLetter } from '../subjects.ts'
import { untilNothing } from '../until-nothing.ts'

export interface PostgresArena extends ServerArena {
  /** Plain SQL, in which `$schema` stands for that of the queue. */
  sql(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** A question that a consumer asked before it died is answered long before. Milliseconds. */
const patience = 120_000

let schemas = 0

/** A schema of its own. The observer reads it with plain SQL, so that it shares no code with what it observes. */
export async function postgresArena(broker: Broker, { lanes }: { readonly lanes: boolean }): Promise<PostgresArena> {
  const { url } = broker
  const schema = `faults_${process.pid}_${++schemas}`
  const folder = mkdtempSync(join(tmpdir(), 'redrive-faults-'))
  const transport = postgres({ url, schema })
  const { work, deadLetter, invalid } = faultChannels
  const channels = [
    { address: { name: deadLetter }, role: 'dead-letter' },
    { address: { name: invalid }, role: 'invalid' },
    { address: { name: work }, role: 'work', lanes },
  ] as const
  await transport.provision({ channels }, 'apply')
  const observer = new pg.Pool({ connectionString: url, max: 1 })
  observer.on('error', () => {})
  const told = new Set<string>()

  async function sql(text: string, values: readonly unknown[] = []): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await observer.query(text.replaceAll('$schema', schema), [...values])).rows
  }

  const standing = `(SELECT id, channel, CASE WHEN held THEN ready_at::text END AS held_until FROM $schema.queue
    UNION ALL SELECT id, channel, until::text FROM $schema.leased)`
  /** By this name the server knows the connections of consumers. */
  const consumersUrl = Object.assign(new URL(url), { search: `application_name=${schema}` })
  const inChannel = `FROM ${standing} AS q JOIN $schema.channels AS c ON c.id = q.channel JOIN $schema.contents AS t ON t.id = q.id WHERE c.name = $1`
  const contents = (channel: string) => sql(`SELECT t.envelope, t.body ${inChannel} ORDER BY q.id`, [channel])

  /** Every claim sets another end of the lease, so with it each hand-out has a name of its own. Fences rise without a hand-out, too. */
  function isNew(row: Readonly<Record<string, unknown>>): boolean {
    const name = `${row['id']} ${row['held_until']}`
    return !told.has(name) && told.add(name).has(name)
  }

  /** Of what a dead consumer asked last, the server may still be handing something out. */
  async function untilForgotten(): Promise<void> {
    const connections = async (): Promise<number> => {
      const [row] = await sql('SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = $1', [schema])
      return Number(row?.['n'])
    }
    if ((await untilNothing(connections, patience)) > 0) throw new Error('The server still serves a consumer that is dead.')
  }

  return {
    connection: JSON.stringify({ url: consumersUrl.href, schema }),
    connectionBy(port) {
      const proxied = Object.assign(new URL(url), { port: String(port) })
      return JSON.stringify({ url: proxied.href, schema, answerWithin: '3s', connectWithin: '3s' })
    },
    folder,
    inAnyOrder: !lanes,
    hold: 1500,
    sql,
    async send(messages) {
      await Promise.all(messages.map((message) => transport.send({ name: work }, message)))
    },
    left: async () => Number((await sql(`SELECT count(*) AS n ${inChannel}`, [work]))[0]?.['n']),
    bodies: async (channel) => (await contents(channel)).map((row) => row['body'] as Uint8Array | null),
    letters: async (channel) => (await contents(channel)).map(letterIn),
    async inHand() {
      await untilForgotten()
      const held = await sql(`SELECT q.id, q.held_until, t.body ${inChannel} AND q.held_until IS NOT NULL`, [work])
      const numbers = held.filter(isNew).map((row) => numberIn(row['body'] as Uint8Array | null))
      return numbers.filter((number) => number !== undefined)
    },
    async close() {
      await observer.end()
      await transport.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The envelope is a list in JSON whose seventh member holds the headers. */
function letterIn(row: Readonly<Record<string, unknown>>): FoundLetter {
  const headers = (JSON.parse(String(row['envelope'])) as unknown[])[6] as readonly [string, unknown][]
  const reason = headers.find(([name]) => name === 'redrive-reason')?.[1]
  return { body: row['body'] as Uint8Array | null, ...(typeof reason === 'string' && { reason }) }
}
