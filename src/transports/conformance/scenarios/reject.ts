import assert from 'node:assert/strict'
import type { Failure } from '../../../core/failure.ts'
import { headerText } from '../../../core/headers.ts'
import type { Message } from '../../../core/message.ts'
import { type Bench, messageOf } from '../bench.ts'
import { assertSameMessage, label, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

const failure: Failure = {
  reason: 'CustomBusinessRule',
  description: 'The order has no lines.',
  errorType: 'OrderError',
  class: 'permanent',
  at: Date.UTC(2030, 0, 1),
  attempts: 1,
  deliveries: 1,
}

async function oneToReject(bench: Bench) {
  const { work, grave } = await bench.channelWithGrave('work')
  const sent = messageOf('a', { type: 'order', correlationId: 'c-1', contentType: 'text/plain', headers: [['tenant', 'north']] })
  await bench.transport.send(work, sent)
  const consumer = await bench.consumer(work)
  return { work, grave, sent, consumer, delivery: await consumer.next() }
}

/** Everything that came along with a message, as text. */
function everythingSaid({ headers, native }: Message): string {
  return [...headers.map(([, value]) => headerText(value)), JSON.stringify(native?.properties ?? {})].join('\n')
}

/** Without native dead-lettering a reject is refused, and the delivery stays ours. */
async function rejectIsRefused(bench: Bench): Promise<void> {
  const work = await bench.channel('work')
  await bench.send(work, 'a')
  const consumer = await bench.consumer(work)
  const delivery = await consumer.next()
  await rejectsWith(consumer.settle(delivery, { kind: 'reject', failure }), 'unsupported')
  await consumer.settle(delivery, { kind: 'release' })
  assert.equal(label((await consumer.next()).message), 'a')
}

export const rejectScenarios: readonly Scenario[] = scenariosOf('reject', [
  {
    name: 'a rejected message is in the dead-letter channel and gone from its own',
    catches: ['rejects into nothing', 'provisions no dead-letter channel'],
    needs: ({ deadLetter }) => deadLetter.native,
    async run(bench) {
      const { grave, consumer, delivery } = await oneToReject(bench)
      await consumer.settle(delivery, { kind: 'reject', failure })
      await consumer.nothing()
      assert.equal(label((await bench.firstOf(grave)).message), 'a')
    },
    otherwise: rejectIsRefused,
  },
  {
    name: 'a rejected message takes its failure along',
    catches: ['rejects without a reason'],
    needs: ({ deadLetter }) => deadLetter.native && deadLetter.carriesFailure,
    async run(bench) {
      const { grave, consumer, delivery } = await oneToReject(bench)
      await consumer.settle(delivery, { kind: 'reject', failure })
      const said = everythingSaid((await bench.firstOf(grave)).message)
      assert.ok(said.includes(failure.reason), 'The reason was lost.')
      assert.ok(said.includes(failure.description), 'The description was lost.')
    },
    async otherwise(bench) {
      if (!bench.capabilities.deadLetter.native) return rejectIsRefused(bench)
      const { grave, consumer, delivery } = await oneToReject(bench)
      await consumer.settle(delivery, { kind: 'reject', failure })
      const said = everythingSaid((await bench.firstOf(grave)).message)
      assert.ok(!said.includes(failure.description), 'The failure travels along: then the capabilities should say so.')
    },
  },
  {
    name: 'a rejected message keeps its body, headers, type and correlation id',
    catches: ['rejects the body alone'],
    needs: ({ deadLetter }) => deadLetter.native,
    async run(bench) {
      const { grave, sent, consumer, delivery } = await oneToReject(bench)
      await consumer.settle(delivery, { kind: 'reject', failure })
      assertSameMessage((await bench.firstOf(grave)).message, sent, bench.capabilities)
    },
    otherwise: rejectIsRefused,
  },
  {
    name: 'a rejected message does not keep the next one waiting',
    catches: ['rejects into nothing'],
    needs: ({ deadLetter }) => deadLetter.native,
    async run(bench) {
      const { work, grave, consumer, delivery } = await oneToReject(bench)
      await bench.send(work, 'b')
      await consumer.settle(delivery, { kind: 'reject', failure })
      assert.equal(label((await consumer.next()).message), 'b')
      assert.equal(label((await bench.firstOf(grave)).message), 'a')
    },
    otherwise: rejectIsRefused,
  },
  {
    name: 'a message that nobody took in time expires into the dead-letter channel',
    catches: ['provisions no dead-letter channel', 'provisions no time to live'],
    needs: ({ ttl }) => ttl,
    async run(bench) {
      const { work, grave } = await bench.channelWithGrave('work', { ttl: bench.shortDelay })
      await bench.send(work, 'a')
      assert.equal(label((await bench.firstOf(grave)).message), 'a')
      await bench.isEmpty(work)
    },
    async otherwise(bench) {
      const grave = await bench.channel('grave', { role: 'dead-letter' })
      const mortal = { address: bench.absent('mortal'), role: 'work', deadLetterTo: grave, ttl: 60_000 } as const
      const findings = await bench.transport.provision({ channels: [mortal] }, 'apply')
      const told = findings.some(({ severity }) => severity === 'warning' || severity === 'fatal')
      assert.ok(told, 'A time to live that the broker cannot keep was passed over in silence.')
    },
  },
])
