import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { RetryableError } from '../../src/core/tagged-errors.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { createProducer } from '../../src/runtime/producer.ts'
import { recoverOrders } from '../control/recovery-story.ts'
import { onBrokers } from './on-brokers.ts'
import { type Place, placeOn } from './postgres.ts'
import { postgresVersions } from './postgres-subjects.ts'

const channel = 'order.placed'
const grave = `dlq.${channel}`

let users = 0

/** A user with the rights that docs/postgres.md names, and no others. */
async function leastUser(place: Place, withoutRights: readonly string[] = []): Promise<string> {
  const name = `least_${process.pid}_${++users}`
  const { schema } = place
  await place.barely(async (client) => {
    await client.query(`CREATE ROLE ${name} LOGIN`)
    await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${name}`)
    await client.query(`GRANT SELECT ON ${schema}.channels, ${schema}.schema_version TO ${name}`)
    await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.queue, ${schema}.leased, ${schema}.contents TO ${name}`)
    await client.query(`GRANT USAGE ON SEQUENCE ${schema}.message_ids TO ${name}`)
    for (const right of withoutRights) await client.query(`REVOKE ${right} FROM ${name}`)
  })
  return Object.assign(new URL(place.url), { username: name }).href
}

async function provisioned(place: Place): Promise<Place> {
  await place.provision({ address: { name: channel }, role: 'work' }, { address: { name: grave }, role: 'dead-letter' })
  return place
}

await onBrokers('postgres', postgresVersions, (broker, version) => {
  describe(`with the least rights of docs/postgres.md, on PostgreSQL ${version}`, { timeout: 360_000 }, () => {
    test('a consumer retries after a delay and dead-letters', async () => {
      const place = await provisioned(placeOn(broker))
      const transport = place.open({ url: await leastUser(place) })
      const consumer = createConsumer({ transport, service: 'orders', logger: false })
      let runs = 0
      consumer.channel(channel, { deadLetter: grave, breaker: false }).on(
        defineMessage(channel),
        async () => {
          runs++
          throw new RetryableError('the warehouse is away')
        },
        { retry: { immediate: 0, delayed: { retries: 1, backoff: { first: '100ms' } } } },
      )
      await consumer.start()
      onTestFinished(async () => {
        await consumer.stop()
        await transport.close()
      })
      await createProducer({ transport }).send(defineMessage(channel), {})
      const letters = async (): Promise<void> => expect(await transport.measure({ name: grave })).toMatchObject({ retained: 1 })
      await vi.waitFor(letters, { timeout: 120_000, interval: 100 })
      expect(runs).toBe(2)
    })

    test('a control plane collects, edits and replays', async () => {
      const place = await provisioned(placeOn(broker))
      const [theirs, ours] = [place.open(), place.open({ url: await leastUser(place) })]
      onTestFinished(async () => {
        await theirs.close()
        await ours.close()
      })
      await recoverOrders({ theirs, ours, channel })
    })

    test('a right that is missing is told as such', async () => {
      const place = await provisioned(placeOn(broker))
      const transport = place.open({ url: await leastUser(place, [`INSERT ON ${place.schema}.contents`]) })
      onTestFinished(() => transport.close())
      const sending = transport.send({ name: channel }, { body: null, headers: [] })
      await expect(sending).rejects.toMatchObject({ code: 'access-denied', message: expect.stringContaining('docs/postgres.md') })
    })
  })
})
