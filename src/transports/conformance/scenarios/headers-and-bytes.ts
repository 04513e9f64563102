import assert from 'node:assert/strict'
import { hasCode } from '../../../core/errors.ts'
import type { Headers, Message } from '../../../core/message.ts'
import { type Bench, messageOf } from '../bench.ts'
import { assertHasHeaders, assertSameBody, assertSameMessage, bytes, label, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

/** Each message on a channel of its own: on a log, whoever was given the one before still has the partition. */
async function thereAndBack(bench: Bench, message: Message, name = 'work'): Promise<Message> {
  const work = await bench.channel(name)
  await bench.transport.send(work, message)
  return (await bench.firstOf(work)).message
}

async function isRefused(bench: Bench, message: Message): Promise<void> {
  const work = await bench.channel('work')
  await rejectsWith(bench.transport.send(work, message), 'bad-message')
  await bench.isEmpty(work)
}

async function bodySurvives(bench: Bench, body: Uint8Array | null): Promise<void> {
  const sent = messageOf('?', { body })
  assertSameBody(await thereAndBack(bench, sent), sent)
}

/** Where no capability says whether a broker holds it: it comes back as it was or is refused, and is never altered. */
async function survivesOrIsRefused(bench: Bench, message: Message): Promise<void> {
  try {
    assertSameMessage(await thereAndBack(bench, message, message.id), message, bench.capabilities)
  } catch (error) {
    if (!hasCode(error, 'bad-message')) throw error
  }
}

const typedHeaders: Headers = [
  ['text', 'plain'],
  ['whole', 42],
  ['negative', -7],
  ['fraction', 1.5],
  ['large', 2n ** 60n],
  ['yes', true],
  ['nothing', null],
  ['moment', new Date('2030-01-01T00:00:00Z')],
  ['bytes', new Uint8Array([0, 255, 128])],
  ['list', ['a', 1, true]],
  ['table', { inner: 'value', deeper: { deepest: 3 } }],
]
const plainHeaders: Headers = typedHeaders.filter(([name]) => ['text', 'whole', 'negative', 'fraction', 'yes'].includes(name))
const unicode = 'Grüße, 東京, 🐇'

export const headersAndBytesScenarios: readonly Scenario[] = scenariosOf('headers and bytes', [
  {
    name: 'an empty body stays empty',
    catches: ['makes nothing of empty bodies'],
    run: (bench) => bodySurvives(bench, new Uint8Array(0)),
  },
  {
    name: 'a null body stays null',
    catches: ['empties null bodies'],
    needs: ({ messages }) => messages.tombstones,
    run: (bench) => bodySurvives(bench, null),
    otherwise: (bench) => isRefused(bench, messageOf('?', { body: null })),
  },
  {
    name: 'every byte value survives',
    catches: ['decodes bodies as text', 'cuts at a zero byte'],
    needs: ({ messages }) => messages.binary,
    run: (bench) =>
      bodySurvives(
        bench,
        Uint8Array.from({ length: 1024 }, (_, index) => index % 256),
      ),
    otherwise: (bench) => isRefused(bench, messageOf('?', { body: new Uint8Array([0xff, 0xfe, 0]) })),
  },
  {
    name: 'text beyond ASCII survives in body, headers, key and type',
    catches: ['flattens text to Latin-1'],
    async run(bench) {
      const sent = messageOf(unicode, { id: 'plain-id', type: unicode, key: unicode, headers: [['name', unicode]] })
      assertSameMessage(await thereAndBack(bench, sent), sent, bench.capabilities)
    },
  },
  {
    name: 'header values keep their types',
    catches: ['turns header values into text'],
    needs: ({ messages }) => messages.headers === 'typed',
    async run(bench) {
      const { headers } = await thereAndBack(bench, messageOf('a', { headers: typedHeaders }))
      assertHasHeaders(headers, typedHeaders, bench.capabilities)
    },
    async otherwise(bench) {
      const { headers } = await thereAndBack(bench, messageOf('a', { headers: plainHeaders }))
      assertHasHeaders(headers, plainHeaders, bench.capabilities)
    },
  },
  {
    name: 'bytes in a header survive',
    catches: ['turns header values into text'],
    needs: ({ messages }) => messages.headers !== 'text',
    async run(bench) {
      const binary = new Uint8Array([0, 255, 128, 10])
      const { headers } = await thereAndBack(bench, messageOf('a', { headers: [['binary', binary]] }))
      const [, value] = headers.find(([name]) => name === 'binary') ?? []
      assert.ok(value instanceof Uint8Array && Buffer.compare(value, binary) === 0)
    },
    otherwise: (bench) => survivesOrIsRefused(bench, messageOf('a', { headers: [['binary', new Uint8Array([0, 255, 128])]] })),
  },
  {
    name: 'headers of the same name all stay, in their order',
    catches: ['keeps one header of each name'],
    needs: ({ messages }) => messages.repeatedHeaders,
    async run(bench) {
      const repeated: Headers = [
        ['hop', 'first'],
        ['other', 'x'],
        ['hop', 'second'],
        ['hop', 'first'],
      ]
      const { headers } = await thereAndBack(bench, messageOf('a', { headers: repeated }))
      assertHasHeaders(headers, repeated, bench.capabilities)
    },
    otherwise: (bench) =>
      isRefused(
        bench,
        messageOf('a', {
          headers: [
            ['hop', 'first'],
            ['hop', 'second'],
          ],
        }),
      ),
  },
  {
    name: 'id, key, type, content type and correlation id arrive as they were sent',
    catches: ['forgets the correlation id'],
    async run(bench) {
      const sent = messageOf('a', {
        id: '7f0c8d2e-2f3e-4a53-9d0e-0a6a4a3c1b11',
        key: 'customer-1',
        type: 'order.placed',
        contentType: 'application/json',
        correlationId: 'b6d8f2a0-1111-4222-8333-444455556666',
      })
      assertSameMessage(await thereAndBack(bench, sent), sent, bench.capabilities)
    },
  },
  {
    name: 'a strange message does not harm its neighbours',
    catches: ['stumbles over strange bodies'],
    async run(bench) {
      const { binary } = bench.capabilities.messages
      const work = await bench.channel('work')
      await bench.send(work, 'before')
      await bench.transport.send(work, { body: binary ? new Uint8Array([0xff, 0, 0xfe]) : bytes('{"torn'), headers: [] })
      await bench.send(work, 'after')
      const deliveries = await (await bench.consumer(work)).gather(3)
      assert.equal(deliveries.filter(({ message }) => ['before', 'after'].includes(label(message))).length, 2)
    },
  },
  {
    name: 'a message that has nothing but a body gets nothing else',
    catches: ['makes up ids'],
    async run(bench) {
      const { id, key, type, correlationId } = await thereAndBack(bench, { body: new Uint8Array([97]), headers: [] })
      assert.deepEqual([id, key, type, correlationId], [undefined, undefined, undefined, undefined])
    },
  },
  {
    name: 'a key that is not text, an empty header and a header of several lines survive or are refused',
    catches: ['drops empty headers'],
    async run(bench) {
      await survivesOrIsRefused(bench, messageOf('a', { key: new Uint8Array([0xff, 0, 0xfe]) }))
      await survivesOrIsRefused(bench, messageOf('b', { headers: [['empty', '']] }))
      await survivesOrIsRefused(bench, messageOf('c', { headers: [['stack', 'Error: x\n  at y\r\n\tat ünder']] }))
    },
  },
])
