import type { Message as SqsMessage } from '@aws-sdk/client-sqs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Headers, HeaderValue, Message } from '../../core/message.ts'
import { packEnvelope } from '../packed-headers.ts'
import { isPlainText, mostAttributes, packedName } from './attributes.ts'
import { defaultMaxMessage, sqsCapabilities } from './capabilities.ts'
import { toMessage, toOutgoing } from './message.ts'

const { messages: limits } = sqsCapabilities('standard', defaultMaxMessage)

/** What SQS would hand out for what it was given, with its attributes in an order of its own. */
function delivered(message: Message, always = false): SqsMessage {
  const { MessageBody, MessageAttributes } = toOutgoing(message, limits, always)
  const attributes = Object.entries(MessageAttributes)
  for (const [name, { StringValue }] of attributes)
    if (StringValue !== undefined) expect(isPlainText(StringValue), `${name} is refused by Amazon`).toBe(true)
  expect(isPlainText(MessageBody)).toBe(true)
  expect(attributes.length).toBeLessThanOrEqual(mostAttributes)
  return { MessageId: 'm', Body: MessageBody, MessageAttributes: Object.fromEntries(attributes.reverse()) }
}

function thereAndBack(message: Message): Message {
  const { native: _, ...rest } = toMessage(delivered(message))
  return rest
}

const text = fc.string({ unit: 'binary' })
const value: fc.Arbitrary<HeaderValue> = fc.oneof(
  ...[text, fc.boolean(), fc.constant(null), fc.double({ noNaN: true }), fc.bigInt(), fc.uint8Array()],
  ...[fc.date({ noInvalidDate: true }), fc.array(text), fc.dictionary(text, text)],
)
const field = fc.option(text, { nil: undefined })
const anyMessage: fc.Arbitrary<Message> = fc
  .record({
    ...{ id: field, type: field, contentType: field, correlationId: field },
    key: fc.option(fc.oneof(text, fc.uint8Array()), { nil: undefined }),
    body: fc.option(
      fc.oneof(
        fc.uint8Array(),
        text.map((one) => new TextEncoder().encode(one)),
      ),
      { nil: null },
    ),
    headers: fc.array(
      fc.tuple(
        fc.oneof(text, fc.constantFrom('tenant', 'hop', 'redrive', 'redrive-body', 'AWS.x', 'toString', '__proto__')),
        value,
      ),
    ),
  })
  .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, one]) => one !== undefined)) as unknown as Message)

function comparable(message: Message): unknown {
  const bytes = (one: unknown): unknown => (one instanceof Uint8Array ? { hex: Buffer.from(one).toString('hex') } : one)
  const { body, key, headers, ...rest } = message
  return { ...rest, body: bytes(body), key: bytes(key), headers: headers.map(([name, one]) => [name, bytes(one)]) }
}

describe('a message in SQS', () => {
  it('comes back as it was, whatever it holds', () => {
    fc.assert(
      fc.property(anyMessage, (sent) => {
        expect(comparable(thereAndBack(sent))).toEqual(comparable(sent))
      }),
      { numRuns: 300 },
    )
  })

  it('shows text and bytes as attributes to others, as far as there is room', () => {
    const headers: Headers = Array.from({ length: 12 }, (_, index) => [`h${index}`, `v${index}`])
    const { MessageAttributes } = toOutgoing({ body: new Uint8Array([97]), headers }, limits, false)
    expect(Object.keys(MessageAttributes)).toEqual([...headers.slice(0, 9).map(([name]) => name), packedName])
    expect(thereAndBack({ body: new Uint8Array([97]), headers }).headers).toEqual(headers)
  })

  it('is nothing but its body where it is nothing else', () => {
    expect(toOutgoing({ body: new Uint8Array([97]), headers: [] }, limits, false)).toEqual({
      ...{ MessageBody: 'a', MessageAttributes: {}, weight: 1 },
    })
  })

  it('keeps ten attributes of somebody else, with their data types, when it is copied with headers of ours', () => {
    const foreign: SqsMessage = {
      Body: 'theirs',
      MessageAttributes: Object.fromEntries([
        ...Array.from({ length: 8 }, (_, index) => [`s${index}`, { DataType: 'String.label', StringValue: `v${index}` }]),
        ['count', { DataType: 'Number.int', StringValue: '12345678901234567890' }],
        ['picture', { DataType: 'Binary.png', BinaryValue: new Uint8Array([0, 255]) }],
      ]),
    }
    const letter = toMessage(foreign)
    const copied: Message = { ...letter, headers: [...letter.headers, ['redrive-reason', 'PoisonMessage']] }
    const once = toMessage(delivered(copied))
    const twice = toMessage(delivered(once))
    expect(twice.headers).toEqual(copied.headers)
    const restored = { ...twice, headers: twice.headers.filter(([name]) => !name.startsWith('redrive-')) }
    const { MessageAttributes: again } = toOutgoing({ ...restored, headers: restored.headers.slice(4) }, limits, false)
    expect([again['s4'], again['count'], again['picture']]).toEqual([
      { DataType: 'String.label', StringValue: 'v4' },
      { DataType: 'Number.int', StringValue: '12345678901234567890' },
      { DataType: 'Binary.png', BinaryValue: new Uint8Array([0, 255]) },
    ])
  })

  it('that was edited is no number any more where it says something else', () => {
    const edited = { ...toMessage({ Body: 'x', MessageAttributes: { n: { DataType: 'Number', StringValue: '5' } } }) }
    const headers: Headers = [['n', 'five']]
    expect(toOutgoing({ ...edited, headers }, limits, false).MessageAttributes['n']).toEqual({
      ...{ DataType: 'String', StringValue: 'five' },
    })
  })

  it('of somebody else who uses our name for an attribute stays theirs', () => {
    const message = toMessage({ Body: 'x', MessageAttributes: { redrive: { DataType: 'String', StringValue: '{"no": 1}' } } })
    expect(message.headers).toEqual([['redrive', '{"no": 1}']])
  })

  it.each([5, 'x', [5], [['1', 'a']], [[0.5, 'a']], [[0]]])('is read where its note on attributes is forged: %j', (carried) => {
    const packed = packEnvelope('sqs', { body: null, headers: [] }, [['h', '1']], { carried })
    const MessageAttributes = {
      [packedName]: { DataType: 'String', StringValue: packed },
      a: { DataType: 'String', StringValue: '2' },
    }
    expect(toMessage({ Body: 'x', MessageAttributes }).headers).toEqual([
      ['h', '1'],
      ['a', '2'],
    ])
  })

  it('has the message group of somebody else as its key, and of ours only the key that it had', () => {
    const Attributes = { MessageGroupId: 'group-7' }
    expect(toMessage({ Body: 'x', Attributes }).key).toBe('group-7')
    expect(toMessage({ ...delivered({ body: new Uint8Array([97]), headers: [] }, true), Attributes }).key).toBeUndefined()
  })

  it.each<[string, Partial<Message>]>([
    ['a body', { body: new Uint8Array(limits.maxBody + 1) }],
    ['headers', { headers: [['stack', 'x'.repeat(limits.maxHeaders)]] }],
  ])('is refused where %s is above the limit', (_, part) => {
    const message = { body: new Uint8Array([97]), headers: [], ...part }
    expect(() => toOutgoing(message, limits, false)).toThrow(expect.objectContaining({ code: 'too-large' }))
  })
})
