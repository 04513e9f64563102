import { describe, expect, it, onTestFinished } from 'vitest'
import { openStub, type Stub } from '../../test/alerts/stub.ts'
import { until } from '../../test/until.ts'
import { gauge } from '../core/metrics/metric-family.ts'
import { type VirtualClock, virtualClock } from '../platform/virtual-clock.ts'
import { post } from './http-post.ts'
import { createOtlpPush, type OtlpHealth, type OtlpPush, type OtlpPushOptions } from './otlp-push.ts'
import { readOwnOtlp } from './otlp-target.ts'

type Answer = Parameters<typeof openStub>[0]

interface Pushing {
  readonly stub: Stub
  readonly clock: VirtualClock
  readonly push: OtlpPush
  readonly told: OtlpHealth[]
}

/** More than the interval: whoever did not wait for the one before would have several under way. */
const patience = 15_000
const every = 10_000

let looks = 0
const counted = (): ReturnType<OtlpPushOptions['collect']> => [gauge('looks', 'Looks.', [{ labels: {}, value: ++looks }])]
const looksIn = ({ json }: Stub['requests'][number]): unknown =>
  json.resourceMetrics[0].scopeMetrics[0].metrics[0].gauge.dataPoints[0].asInt

async function pushing(answer?: Answer, collect: OtlpPushOptions['collect'] = counted): Promise<Pushing> {
  looks = 0
  const stub = await openStub(answer)
  const clock = virtualClock()
  const told: OtlpHealth[] = []
  const target = readOwnOtlp({
    ...{ url: stub.url, headers: { authorization: 'Bearer a b' }, every, timeout: patience },
    resource: { 'service.name': 'shop' },
  })
  const push = createOtlpPush({ target, collect, clock, onChange: (health) => told.push(health) })
  onTestFinished(async () => {
    await push.stop()
    await stub.close()
  })
  return { stub, clock, push, told }
}

/** Begins a try and waits for its end, whatever that is; then the next one has its time. */
async function tried({ push }: Pushing, begin: () => unknown): Promise<void> {
  const before = push.health
  await begin()
  await until('an outcome', () => push.health !== before)
}

describe('telling a collector', () => {
  it('tells it at the start and again after each interval, what is counted by then', async () => {
    const world = await pushing()
    await tried(world, () => world.push.start())
    await tried(world, () => world.clock.advance(every))
    await tried(world, () => world.clock.advance(every))
    expect(world.stub.requests.map(looksIn)).toEqual(['1', '2', '3'])
    expect(world.stub.requests[0]).toMatchObject({
      ...{ method: 'POST', path: '/v1/metrics' },
      headers: { authorization: 'Bearer a b', 'content-type': 'application/json' },
      json: {
        resourceMetrics: [{ resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] } }],
      },
    })
    expect(world.told).toEqual([])
  })

  it('says once that it fails, since when and why, and once that it works again', async () => {
    let status = 503
    const world = await pushing((response) => response.writeHead(status).end('secret answer'))
    const began = world.clock.now()
    await tried(world, () => world.push.start())
    await tried(world, () => world.clock.advance(every))
    const why = 'The receiver answered with status 503'
    const failing = { target: new URL(world.stub.url).host, lastSentAt: null, failingSince: began, problem: why }
    expect(world.push.health).toEqual(failing)
    expect(world.told).toEqual([failing])
    status = 200
    await tried(world, () => world.clock.advance(every))
    const fine = { ...failing, lastSentAt: began + 2 * every, failingSince: null, problem: null }
    expect(world.told).toEqual([failing, fine])
  })

  it('waits as long as the collector asks, where that is longer', async () => {
    const world = await pushing((response) => response.writeHead(429, { 'retry-after': '60' }).end())
    await tried(world, () => world.push.start())
    await world.clock.advance(59_999)
    expect(world.stub.requests).toHaveLength(1)
    await tried(world, () => world.clock.advance(1))
    expect(world.stub.requests).toHaveLength(2)
  })

  it('gives up on a collector that does not answer, and never has two requests under way', async () => {
    const { open, most, answer } = neverAnswering()
    const world = await pushing(answer)
    world.push.start()
    for (let round = 1; round <= 3; round++) {
      await until(`request ${round}`, () => world.stub.requests.length === round)
      await world.clock.advance(patience)
      await until('it hangs up', () => open() === 0)
      await world.clock.advance(every)
    }
    await until('the fourth', () => world.stub.requests.length === 4)
    expect(world.push.health.problem).toBe('It took too long')
    expect(most()).toBe(1)
  })

  it('would be seen if requests piled up', async () => {
    const { most, answer } = neverAnswering()
    const stub = await openStub(answer)
    const never = new AbortController()
    const sending = Array.from({ length: 3 }, () => post({ url: new URL(stub.url), headers: {}, body: '{}' }, never.signal))
    await until('three requests', () => stub.requests.length === 3)
    expect(most()).toBe(3)
    never.abort()
    await Promise.all(sending)
    await stub.close()
  })

  it('stops at once, whether the collector or who counts keeps it waiting, and blames nobody', async () => {
    for (const world of [await pushing(() => {}), await pushing(undefined, () => new Promise(() => {}))]) {
      world.push.start()
      await world.clock.settle()
      await world.push.stop()
      await world.clock.advance(60_000)
      expect([world.told, world.clock.pending]).toEqual([[], 0])
    }
  })

  it('tells that counting failed by the name of the error alone, and goes on', async () => {
    let fails = true
    const world = await pushing(undefined, async () => {
      if (fails) throw new RangeError('patient 4711')
      return []
    })
    await tried(world, () => world.push.start())
    expect(world.told[0]?.problem).toBe('What is to be told could not be counted (RangeError)')
    fails = false
    await tried(world, () => world.clock.advance(every))
    expect(world.stub.requests).toHaveLength(1)
  })
})

/** A collector that takes requests and never answers; `most` is how many it had at once. */
function neverAnswering(): { readonly open: () => number; readonly most: () => number; readonly answer: Answer } {
  let [open, most] = [0, 0]
  return {
    open: () => open,
    most: () => most,
    answer(response) {
      most = Math.max(most, ++open)
      response.on('close', () => open--)
    },
  }
}
