import assert from 'node:assert/strict'
import { type Bench, messageOf } from '../bench.ts'
import { assertSameBody, label, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

const undecodable = new Uint8Array([0xc3, 0x28, 0x00, 0xff, 0xfe, 0x7b])

async function threeChannels(bench: Bench) {
  const [work, dead, invalid] = await Promise.all([
    bench.channel('work'),
    bench.channel('dead', { role: 'dead-letter' }),
    bench.channel('invalid', { role: 'invalid' }),
  ])
  return { work, dead, invalid, consumer: await bench.consumer(work) }
}

export const invalidScenarios: readonly Scenario[] = scenariosOf('invalid', [
  {
    name: 'an unacceptable message is in the invalid channel and not among the dead letters',
    catches: ['copies to every channel', 'completes instead of moving'],
    async run(bench) {
      const { work, dead, invalid, consumer } = await threeChannels(bench)
      await bench.send(work, 'a')
      await consumer.move(await consumer.next(), invalid)
      assert.equal(label((await bench.firstOf(invalid)).message), 'a')
      await bench.isEmpty(dead)
    },
  },
  {
    name: 'bytes that nobody can decode reach the invalid channel as they are',
    catches: ['decodes bodies as text'],
    needs: ({ messages }) => messages.binary,
    async run(bench) {
      const { work, invalid, consumer } = await threeChannels(bench)
      const sent = messageOf('?', { body: undecodable })
      await bench.transport.send(work, sent)
      await consumer.move(await consumer.next(), invalid)
      assertSameBody((await bench.firstOf(invalid)).message, sent)
    },
    async otherwise(bench) {
      const { work, consumer } = await threeChannels(bench)
      await rejectsWith(bench.transport.send(work, messageOf('?', { body: undecodable })), 'bad-message')
      await consumer.nothing()
    },
  },
  {
    name: 'an unacceptable message does not keep the next one waiting',
    catches: ['copies instead of moving'],
    async run(bench) {
      const { work, invalid, consumer } = await threeChannels(bench)
      await bench.send(work, 'bad', 'good')
      const deliveries = await consumer.gather(2)
      for (const delivery of deliveries) {
        if (label(delivery.message) === 'bad') await consumer.move(delivery, invalid)
        else await consumer.complete(delivery)
      }
      const reader = await bench.consumer(invalid)
      assert.equal(label((await reader.next()).message), 'bad')
      await consumer.transport.close()
      await (await bench.consumer(work, { on: await bench.open() })).nothing()
    },
  },
  {
    name: 'without an invalid channel the dead-letter channel still takes the message',
    catches: ['reports every settlement as done'],
    async run(bench) {
      const work = await bench.channel('work')
      const dead = await bench.channel('dead', { role: 'dead-letter' })
      await bench.send(work, 'a')
      const consumer = await bench.consumer(work)
      const delivery = await consumer.next()
      await rejectsWith(consumer.move(delivery, bench.absent('invalid')), 'unknown-channel', 'refused')
      await consumer.move(delivery, dead)
      assert.equal(label((await bench.firstOf(dead)).message), 'a')
      await consumer.nothing()
    },
  },
])
