import assert from 'node:assert/strict'
import { type Bench, messageOf } from '../bench.ts'
import { assertSameBody, label, labels, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

const mebibyte = 1024 * 1024
const earliness = 20

/** Bytes that differ from place to place, so that a cut or a shift is seen; plain letters, so that any broker takes them. */
function patterned(length: number): Uint8Array {
  const pattern = Buffer.from('abcdefghijklmnopqrstuvw')
  return Buffer.alloc(length, pattern)
}

async function arrivesWhole(bench: Bench, size: number): Promise<void> {
  const work = await bench.channel('work')
  const sent = messageOf('large', { body: patterned(size) })
  await bench.transport.send(work, sent)
  assertSameBody((await bench.firstOf(work)).message, sent)
}

export const sendScenarios: readonly Scenario[] = scenariosOf('send', [
  {
    name: 'what was confirmed is there for everybody, also after a restart of the broker',
    catches: ['confirms before it writes'],
    async run(bench) {
      const work = await bench.channel('work')
      const sender = await bench.open()
      await sender.send(work, messageOf('a'))
      await sender.send(work, messageOf('b'))
      await bench.restart()
      const consumer = await bench.consumer(work, { on: await bench.open() })
      assert.deepEqual(labels(await consumer.gather(2)).sort(), ['a', 'b'])
    },
  },
  {
    name: 'sending to a channel that does not exist is refused and never called a success',
    catches: ['reports a failed send as success'],
    async run(bench) {
      await rejectsWith(bench.transport.send(bench.absent('nowhere'), messageOf('a')), 'unknown-channel', 'refused')
    },
  },
  {
    name: 'a body above the limit is refused and nothing is written',
    catches: ['cuts what is too large'],
    needs: ({ messages }) => messages.maxBody <= 64 * mebibyte,
    async run(bench) {
      const work = await bench.channel('work')
      const tooLarge = messageOf('large', { body: patterned(bench.capabilities.messages.maxBody + 1) })
      await rejectsWith(bench.transport.send(work, tooLarge), 'too-large')
      await bench.isEmpty(work)
    },
    otherwise: (bench) => arrivesWhole(bench, 2 * mebibyte),
  },
  {
    name: 'headers above the limit are refused and nothing is written',
    catches: ['cuts what is too large'],
    needs: ({ messages }) => messages.maxHeaders <= 8 * mebibyte,
    async run(bench) {
      const work = await bench.channel('work')
      const tooLarge = messageOf('a', { headers: [['stack', 'x'.repeat(bench.capabilities.messages.maxHeaders)]] })
      await rejectsWith(bench.transport.send(work, tooLarge), 'too-large')
      await bench.isEmpty(work)
    },
    async otherwise(bench) {
      const work = await bench.channel('work')
      await bench.transport.send(work, messageOf('a', { headers: [['stack', 'x'.repeat(64 * 1024)]] }))
      assert.equal(label((await bench.firstOf(work)).message), 'a')
    },
  },
  {
    name: 'a large body that the broker takes arrives whole',
    catches: ['cuts what is large'],
    run: (bench) => arrivesWhole(bench, Math.min(bench.capabilities.messages.maxBody, mebibyte)),
  },
  {
    name: 'messages that one caller sends one after the other stay in order',
    catches: ['reorders a lane'],
    needs: ({ ordering }) => ordering === 'lane',
    async run(bench) {
      const work = await bench.channel('work', { lanes: true })
      const texts = Array.from({ length: 50 }, (_, index) => `m${index}`)
      for (const text of texts) await bench.transport.send(work, messageOf(text, { key: 'one' }))
      const consumer = await bench.consumer(work)
      const order: string[] = []
      while (order.length < texts.length) {
        const batch = await consumer.some(50)
        order.push(...labels(batch))
        await consumer.complete(...batch)
      }
      assert.deepEqual(order, texts)
    },
    async otherwise(bench) {
      const work = await bench.channel('work')
      const texts = Array.from({ length: 50 }, (_, index) => `m${10 + index}`)
      await bench.send(work, ...texts)
      const consumer = await bench.consumer(work)
      assert.deepEqual(labels(await consumer.gather(50)).sort(), texts)
    },
  },
  {
    name: 'two hundred sends at once are all written, each once',
    catches: ['loses one send of many'],
    async run(bench) {
      const work = await bench.channel('work')
      const texts = Array.from({ length: 200 }, (_, index) => `m${100 + index}`)
      await Promise.all(texts.map((text) => bench.transport.send(work, messageOf(text))))
      const consumer = await bench.consumer(work, { prefetch: 200 })
      assert.deepEqual(labels(await consumer.gather(200)).sort(), texts)
      await consumer.nothing()
    },
  },
  {
    name: 'a send that is refused does not harm those made beside it',
    catches: ['fails sends together'],
    async run(bench) {
      const work = await bench.channel('work')
      const nowhere = bench.absent('nowhere')
      const outcomes = await Promise.allSettled([
        bench.transport.send(work, messageOf('a')),
        bench.transport.send(nowhere, messageOf('lost')),
        bench.transport.send(work, messageOf('b')),
      ])
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.deepEqual(labels(await (await bench.consumer(work)).gather(2)).sort(), ['a', 'b'])
    },
  },
  {
    name: 'a second send with the same deduplication id writes nothing',
    catches: ['ignores deduplication ids'],
    needs: ({ deduplication }) => deduplication > 0,
    async run(bench) {
      const work = await bench.channel('work')
      const first = await bench.transport.send(work, messageOf('a'), { dedupId: 'once' })
      const second = await bench.transport.send(work, messageOf('b'), { dedupId: 'once' })
      assert.deepEqual([first.duplicate, second.duplicate], [false, true])
      const consumer = await bench.consumer(work)
      await consumer.complete(await consumer.next())
      const third = await bench.transport.send(work, messageOf('c'), { dedupId: 'once' })
      assert.equal(third.duplicate, true, 'The id was forgotten when its message was completed.')
      await consumer.nothing()
    },
    async otherwise(bench) {
      const work = await bench.channel('work')
      const first = await bench.transport.send(work, messageOf('a'), { dedupId: 'once' })
      const second = await bench.transport.send(work, messageOf('b'), { dedupId: 'once' })
      assert.deepEqual([first.duplicate, second.duplicate], [false, false])
      assert.deepEqual(labels(await (await bench.consumer(work)).gather(2)).sort(), ['a', 'b'])
    },
  },
  {
    name: 'equal messages with different deduplication ids are two',
    catches: ['deduplicates by body'],
    async run(bench) {
      const work = await bench.channel('work')
      const receipts = [
        await bench.transport.send(work, messageOf('same'), { dedupId: 'letter:1' }),
        await bench.transport.send(work, messageOf('same'), { dedupId: 'letter:2' }),
        await bench.transport.send(work, messageOf('same')),
      ]
      assert.deepEqual(
        receipts.map(({ duplicate }) => duplicate),
        [false, false, false],
      )
      await (await bench.consumer(work)).gather(3)
    },
  },
  {
    name: 'a delayed message is not given before its time',
    catches: ['ignores the delay of a send'],
    needs: ({ delayedSend }) => delayedSend > 0,
    async run(bench) {
      const work = await bench.channel('work', { maxRetryDelay: bench.shortDelay })
      const from = bench.clock.monotonic()
      await bench.transport.send(work, messageOf('later'), { delay: bench.shortDelay })
      assert.equal(label((await bench.firstOf(work)).message), 'later')
      const waited = bench.clock.monotonic() - from
      assert.ok(waited >= bench.shortDelay - earliness, `It came after ${waited} ms instead of ${bench.shortDelay}.`)
    },
    async otherwise(bench) {
      const work = await bench.channel('work')
      await rejectsWith(bench.transport.send(work, messageOf('later'), { delay: 1000 }), 'unsupported')
      await bench.isEmpty(work)
    },
  },
  {
    name: 'what a sender does to its buffer afterwards changes nothing',
    catches: ["hands out the sender's own buffer"],
    async run(bench) {
      const work = await bench.channel('work')
      const message = messageOf('untouched')
      await bench.transport.send(work, message)
      message.body?.fill(0)
      assert.equal(label((await bench.firstOf(work)).message), 'untouched')
    },
  },
])
