import { describe, expect, test } from 'vitest'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { type Place, placeOn } from '../../../test/brokers/postgres.ts'
import { postgresVersions } from '../../../test/brokers/postgres-subjects.ts'
import { until } from '../../../test/until.ts'
import type { Message } from '../../core/message.ts'
import type { Hold } from '../leases/protocol.ts'
import type { WantedChannel } from '../topology.ts'
import { completeStatement, extendStatement, giveBackStatement, moveStatement, type Statement } from './statements.ts'

const plain: WantedChannel = { address: { name: 'plain' }, role: 'work' }
const laned: WantedChannel = { address: { name: 'laned' }, role: 'work', lanes: true }
const grave: WantedChannel = { address: { name: 'grave' }, role: 'dead-letter' }
const minute = 60_000

const message = (label: string, key?: string): Message => ({
  ...{ id: label, body: null, headers: [] },
  ...(key !== undefined && { key }),
})

await onBrokers('postgres', postgresVersions, (broker, version) => {
  interface Scene {
    readonly place: Place
    readonly channels: { readonly plain: number; readonly laned: number }
  }

  async function setUp(): Promise<Scene> {
    const place = placeOn(broker)
    await place.provision(plain, laned, grave)
    const { rows } = await place.barely((client) => client.query(`SELECT name, id FROM ${place.schema}.channels`))
    return { place, channels: Object.fromEntries(rows.map(({ name, id }) => [name, id])) as Scene['channels'] }
  }

  async function send({ place }: Scene, { address }: WantedChannel, ...messages: readonly Message[]): Promise<void> {
    const transport = place.open()
    for (const each of messages) await transport.send(address, each)
    await transport.close()
  }

  async function claim({ place }: Scene, call: string): Promise<readonly Hold[]> {
    const sql = `SELECT id::float8, deliveries AS fence FROM ${place.schema}.${call}`
    return place.barely(async (client) => (await client.query<Hold>(sql)).rows)
  }

  const claimPlain = (scene: Scene) => claim(scene, `claim(${scene.channels.plain}, 0, 10, ${minute}, false, false)`)
  const claimLaned = (scene: Scene) => claim(scene, `claim_in_lanes(${scene.channels.laned}, 10, ${minute}, false, false)`)

  /** One after the other comes as far as what a third transaction has locked; then that lets go, and they meet. */
  async function meet({ place }: Scene, gate: string, statements: readonly [Statement, Statement]): Promise<void> {
    const [first, second] = statements
    await place.barely((keeper) =>
      place.barely((one) =>
        place.barely(async (other) => {
          const waiting = (count: number): Promise<void> =>
            until(`${count} wait`, async () => {
              const { rows } = await keeper.query(
                "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND wait_event_type = 'Lock'",
              )
              return rows.length === count
            })
          await keeper.query('BEGIN')
          await keeper.query(gate)
          const asked = [one.query(first.sql, [...first.values])]
          await waiting(1)
          asked.push(other.query(second.sql, [...second.values]))
          await waiting(2)
          await keeper.query('COMMIT')
          await expect(Promise.all(asked)).resolves.toHaveLength(2)
        }),
      ),
    )
  }

  describe(`what locks several messages never waits in a ring, on PostgreSQL ${version}:`, { timeout: 5 * minute }, () => {
    test('renewing and completing, in lanes and out of them', async () => {
      const scene = await setUp()
      await send(scene, plain, message('a'))
      await send(scene, laned, message('b', 'key'))
      const free = await claimPlain(scene)
      const kept = await claimLaned(scene)
      const held = [
        ...free.map((hold) => ({ hold, lanesOf: undefined })),
        ...kept.map((hold) => ({ hold, lanesOf: scene.channels.laned })),
      ]
      expect(held).toHaveLength(2)
      const { schema } = scene.place
      const renewing = extendStatement(
        schema,
        held.map((each) => ({ ...each, ms: minute })),
      )
      const lanes = `SELECT ${schema}.lock_lanes(ARRAY[${scene.channels.laned}])`
      await meet(scene, lanes, [renewing, completeStatement(schema, held)])
    })

    describe.each<[string, (schema: string, holds: readonly Hold[]) => Statement]>([
      ['completed', (schema, holds) => completeStatement(schema, holds.map(plainly))],
      ['given back', (schema, holds) => giveBackStatement(schema, holds.map(retried))],
      ['dead-lettered', (schema, holds) => moveStatement(schema, holds.map(buried))],
      ['renewed', (schema, holds) => extendStatement(schema, holds.map(renewed))],
    ])('messages that are %s, and are renewed in another order,', (_, statement) => {
      test.each([
        ['out of lanes', plain, claimPlain, 'leased'],
        ['beside lanes', laned, claimLaned, 'queue'],
      ] as const)('%s', async (_, channel, take, table) => {
        const scene = await setUp()
        await send(scene, channel, message('a'), message('b'), message('c'))
        const holds = await take(scene)
        const { schema } = scene.place
        const gate = `SELECT FROM ${schema}.${table} WHERE id = ${holds[1]?.id} FOR UPDATE`
        await meet(scene, gate, [statement(schema, holds), extendStatement(schema, holds.toReversed().map(renewed))])
      })
    })

    test('giving back, and taking over lanes from somebody who holds more of them', async () => {
      const scene = await setUp()
      await send(scene, laned, message('a1', 'a'), message('a2', 'a'), message('b', 'b'), message('c', 'c'))
      const holds = await claimLaned(scene)
      const [a1, a2, b, c] = holds
      if (!a1 || !a2 || !b || !c) expect.fail('Four were sent.')
      const { schema } = scene.place
      await scene.place.barely((client) =>
        client.query(`UPDATE ${schema}.queue SET ready_at = clock_timestamp() WHERE id IN (${a1.id}, ${a2.id}, ${c.id})`),
      )
      const taking = `SELECT * FROM ${schema}.claim_in_lanes(${scene.channels.laned}, 10, ${minute}, true, true)`
      await meet(scene, `SELECT FROM ${schema}.queue WHERE id = ${b.id} FOR UPDATE`, [
        giveBackStatement(schema, [a2, b, c].map(retried)),
        { sql: taking, values: [] },
      ])
    })
  })
})

const plainly = (hold: Hold) => ({ hold, lanesOf: undefined })
const renewed = (hold: Hold) => ({ ...plainly(hold), ms: minute })
const retried = (hold: Hold) => ({ kind: 'retry', hold, counted: false, delay: 0 }) as const
const buried = (hold: Hold) => ({
  ...plainly(hold),
  job: { kind: 'move', hold, to: grave.address.name, content: { envelope: '[]', body: null, key: undefined }, delay: 0 } as const,
})
