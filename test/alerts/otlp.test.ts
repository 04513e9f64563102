import { describe, expect, it, onTestFinished } from 'vitest'
import { otlpMetrics } from '../../src/core/metrics/otlp.ts'
import { pushMetrics } from '../../src/monitor/monitor.ts'
import { type LogLine, recordingLogger, testingWorld } from '../testing-world.ts'
import { until } from '../until.ts'
import { openCollector, otlpFindings } from './otlp-collector.ts'
import { openStub, type Stub } from './stub.ts'

const resource = { 'service.name': 'shop' }

/** A consumer that has handled a message, failed with one, and got one back from a replay. */
async function busyConsumer(): Promise<Parameters<typeof pushMetrics>[0]> {
  const world = testingWorld()
  const consumer = await world.consume((value) => {
    if (value === 'bad') throw new RangeError('MARK')
  })
  await world.put('good')
  await world.put('bad', { headers: [['redrive-replay', 'r-1']], key: 'MARK' })
  await world.clock.advance(3_600_000)
  return consumer
}

async function opened(stub: Promise<Stub>): Promise<Stub> {
  const made = await stub
  onTestFinished(() => made.close())
  return made
}

describe('a consumer that tells a collector what it counts', () => {
  it('tells it in the documented format, now and once more at its end, and nothing of what messages hold', async () => {
    const collector = await opened(openCollector())
    const push = pushMetrics(await busyConsumer(), { url: collector.url, resource, every: '1h', timeout: '1m', logger: false })
    await until('the first', () => push.health.lastSentAt !== null)
    await push.stop()
    expect(push.health).toMatchObject({ failingSince: null, problem: null })
    expect(collector.requests.map(({ json }) => otlpFindings(json))).toEqual([[], []])
    const [{ raw } = { raw: '' }] = collector.requests
    for (const name of ['messages_deadlettered_total', 'messaging.client.consumed.messages', 'messaging.process.duration'])
      expect(raw).toContain(`"name":"${name}"`)
    expect(raw).toContain('{"key":"replayed","value":{"stringValue":"true"}}')
    expect(raw).not.toContain('MARK')
  }, 300_000)

  it('logs once that nothing arrives, without what the collector said, and goes on', async () => {
    const refusing = await opened(openStub((response) => response.writeHead(400).end('MARK')))
    const logs: LogLine[] = []
    const options = { url: refusing.url, resource, every: '1s', timeout: '1m', logger: recordingLogger(logs) } as const
    const push = pushMetrics(await busyConsumer(), options)
    await until('the second', () => refusing.requests.length >= 2)
    await push.stop()
    expect(logs.map(({ level, message }) => [level, message])).toEqual([['warn', 'Metrics do not arrive']])
    expect(JSON.stringify(logs)).not.toContain('MARK')
  }, 300_000)

  it('refuses a collector that is none, and says what is allowed', async () => {
    const consumer = await busyConsumer()
    const url = 'http://127.0.0.1:4318'
    expect(() => pushMetrics(consumer, { url: 'ftp://x', resource })).toThrow(/otlp: url is not one that starts with https/)
    expect(() => pushMetrics(consumer, { url, resource, every: '1ms' })).toThrow(/otlp: every is "1ms"/)
    expect(() => pushMetrics(consumer, { url, resource, headers: { 'a b': 'x' } })).toThrow(/no name of a header/)
  })
})

describe('the collector of these tests', () => {
  const point = { labels: { 'queue.name': 'orders' }, value: 3 }
  const spread = { labels: {}, value: { bounds: [1, 2], buckets: [1, 2, 0], sum: 3, count: 3 } }
  const body = JSON.stringify(
    otlpMetrics(
      [
        { name: 'a_total', help: 'A.', kind: 'counter', points: [point] },
        { name: 'b', help: 'B.', kind: 'histogram', unit: 's', points: [spread] },
      ],
      { resource, since: 1, at: 2 },
    ),
  )

  it('takes what is in order', () => {
    expect(otlpFindings(JSON.parse(body))).toEqual([])
  })

  it.each([
    ['a number of 64 bits that is a number', '"asInt":"3"', '"asInt":3', /asInt is no text of digits/],
    ['a value that is none', '"asInt":"3"', '"asLong":"3"', /has 0 of asInt, asDouble/],
    ['a field that is none', '"isMonotonic":true', '"isMonotonic":true,"monotone":true', /sum\.monotone is no field/],
    ['a time that is a number', '"timeUnixNano":"2000000"', '"timeUnixNano":2000000', /timeUnixNano is no text of digits/],
    ['no temporality', '"aggregationTemporality":2,"isMonotonic"', '"isMonotonic"', /aggregationTemporality is missing/],
    ['a bucket too few', '"bucketCounts":["1","2","0"]', '"bucketCounts":["1","2"]', /not one bucket more than bounds/],
    [
      'buckets that do not add up',
      '"bucketCounts":["1","2","0"]',
      '"bucketCounts":["1","2","1"]',
      /buckets that are not its count/,
    ],
    ['an attribute without its type', '{"stringValue":"orders"}', '"orders"', /value is no object/],
    ['snake case', '"scopeMetrics"', '"scope_metrics"', /scopeMetrics is missing/],
  ])('refuses %s', (_, from, to, problem) => {
    expect(body).toContain(from)
    expect(otlpFindings(JSON.parse(body.replace(from, to))).join('\n')).toMatch(problem)
  })
})
