import { describe, expect, it, test } from 'vitest'
import { gate, Job, testingWorld, type World } from '../../../test/testing-world.ts'
import type { ConsumerReport, ReportAnswer } from '../../core/consumer-report.ts'
import type { PostJson } from '../../core/ports.ts'
import { type ChannelOptions, resolveChannel } from '../channel-options.ts'
import type { Consumer } from '../consumer.ts'
import { createEvents } from '../events.ts'
import { silentLogger } from '../logger.ts'
import { systemPlatform } from '../platform.ts'
import type { Handler } from '../routes.ts'
import { type ControlPlaneOptions, resolveControlPlane } from './control-plane-options.ts'
import { createNews, type News } from './news.ts'
import { createReporter } from './reporter.ts'

const token = 'rdr_secret'
const replayed = (letter: number, replay = 7): { headers: [string, string][] } => ({
  headers: [
    ['redrive-letter', `letter-${letter}`],
    ['redrive-generation', '1'],
    ['redrive-replay', String(replay)],
  ],
})

/** A control plane that remembers what it heard, and answers as it is told. */
interface Listening extends World {
  readonly reports: ConsumerReport[]
  readonly at: number[]
  readonly consumer: () => Consumer
  answer: (report: ConsumerReport) => ReturnType<PostJson>
}

const fine = async (answer: ReportAnswer = { orders: [] }): ReturnType<PostJson> => ({ status: 200, json: answer })

async function listening(
  handler: Handler<unknown> = async () => {},
  options: ChannelOptions & { readonly controlPlane?: Partial<ControlPlaneOptions> } = {},
): Promise<Listening> {
  const world = testingWorld()
  const { controlPlane, ...channel } = options
  const made: Listening = { ...world, reports: [], at: [], consumer: () => consumer, answer: () => fine() }
  const postJson: PostJson = (url, { token: given, body }) => {
    expect([url, given]).toEqual(['http://127.0.0.1:7333/api/v1/consumers/heartbeat', token])
    made.at.push(world.clock.monotonic())
    const report = JSON.parse(body) as ConsumerReport
    made.reports.push(report)
    return made.answer(report)
  }
  const consumer = await world.consume(handler, channel, {
    version: '1.4.0',
    controlPlane: { url: 'http://127.0.0.1:7333/', token, ...controlPlane },
    platform: { ...world.platform, postJson },
  })
  await world.clock.settle()
  return made
}

const lettersOf = (reports: readonly ConsumerReport[]): string[] =>
  reports.flatMap(({ succeeded }) => succeeded.map(({ letter }) => letter))
const idsOf = (reports: readonly ConsumerReport[]): string[] =>
  reports.flatMap(({ deadLettered }) => deadLettered.map(({ correlationId }) => correlationId))

describe('a consumer with a control plane', () => {
  it('says at start and every five seconds who it is and how its channels are', async () => {
    const { clock, reports, at, put } = await listening()
    await put(1)
    await clock.advance(20_000)
    expect(at).toEqual([0, 5000, 10_000, 15_000, 20_000])
    expect(reports.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5])
    expect(reports[1]).toMatchObject({
      ...{ service: 'tests', version: '1.4.0', environment: 'dev', every: 5000, isLast: false, forgotten: 0 },
      channels: [
        {
          ...{ name: 'work', group: null, deadLetter: 'dead', state: 'consuming', held: 0, parked: 0, spooled: 0 },
          counts: { received: 1, completed: 1, deadLettered: 0 },
        },
      ],
    })
    expect(new Set(reports.map(({ run, instance }) => `${run} ${instance}`)).size).toBe(1)
  })

  it('says at once what was dead-lettered, but not more often than every 250 ms', async () => {
    const { clock, reports, at, put } = await listening(
      async () => {
        throw new Error('no')
      },
      { retry: { immediate: 0, delayed: { retries: 0 } }, breaker: false },
    )
    await clock.advance(1000)
    for (let n = 0; n < 5; n++) {
      await put(n, { correlationId: `c-${n}` })
      await clock.advance(60)
    }
    await clock.advance(1000)
    expect(at.slice(1)).toEqual([1000, 1250])
    expect(idsOf(reports)).toEqual(['c-0', 'c-1', 'c-2', 'c-3', 'c-4'])
    expect(reports.at(-1)?.channels[0]?.counts.deadLettered).toBe(5)
  })

  it('reports what a replay sent back and was processed, and nothing else', async () => {
    const { clock, reports, put } = await listening(
      async (value) => {
        if (value === 'bad') throw new Error('no')
      },
      { retry: { immediate: 0, delayed: { retries: 0 } } },
    )
    await put('good', replayed(1))
    await put('bad', replayed(2))
    await put('fresh')
    await clock.advance(1000)
    expect(reports.flatMap(({ succeeded }) => succeeded)).toEqual([
      { replay: 7, letter: 'letter-1', channel: 'work', group: null },
    ])
  })

  it.each([
    [
      'a replay that is no number',
      [
        ['redrive-letter', 'l'],
        ['redrive-replay', 'x'],
      ],
    ],
    [
      'replay 0',
      [
        ['redrive-letter', 'l'],
        ['redrive-replay', '0'],
      ],
    ],
    ['no letter', [['redrive-replay', '1']]],
    [
      'a letter of a megabyte',
      [
        ['redrive-letter', 'l'.repeat(1_000_000)],
        ['redrive-replay', '1'],
      ],
    ],
    [
      'a letter that acts on a terminal',
      [
        ['redrive-letter', '\u001b[2J'],
        ['redrive-replay', '1'],
      ],
    ],
  ] as const)('processes a message with %s, and does not report it', async (_, headers) => {
    const { clock, reports, put, of } = await listening()
    await put('good', { headers: headers.map(([name, value]) => [name, value] as const) })
    await clock.advance(1000)
    expect(of('completed')).toHaveLength(1)
    expect(lettersOf(reports)).toEqual([])
  })

  it('has one report on its way at a time', async () => {
    const world = await listening()
    const answered = gate()
    world.answer = async () => {
      await answered.promise
      return fine()
    }
    await world.clock.advance(5000)
    for (let n = 0; n < 10; n++) await world.put(n, replayed(n))
    await world.clock.advance(4000)
    expect(world.reports).toHaveLength(2)
    answered.resolve()
    await world.clock.advance(0)
    expect(lettersOf(world.reports.slice(2))).toHaveLength(10)
  })

  it('says goodbye when it stops, with what is still news', async () => {
    const { clock, consumer, reports, put } = await listening()
    await put(1, replayed(1))
    await consumer().stop()
    expect(reports.at(-1)).toMatchObject({ isLast: true, channels: [{ state: 'stopped' }], succeeded: [{ letter: 'letter-1' }] })
    await clock.advance(60_000)
    expect(reports.filter(({ isLast }) => isLast)).toHaveLength(1)
  })

  it('bears the instance that it was given', async () => {
    const { reports } = await listening(undefined, { controlPlane: { instance: 'billing-0', every: '30s' } })
    expect(reports[0]).toMatchObject({ instance: 'billing-0', every: 30_000 })
  })
})

/** Which of twenty successes arrive, when nobody listens for the first ten minutes. */
async function heardAfterOutage(news: News): Promise<readonly string[]> {
  const { clock, platform: own } = testingWorld()
  const heard: ConsumerReport[] = []
  let isDown = true
  const postJson: PostJson = (_, { body }) => {
    if (isDown) return Promise.reject(new TypeError('fetch failed'))
    heard.push(JSON.parse(body) as ConsumerReport)
    return fine()
  }
  const platform = { ...systemPlatform(), ...own, postJson }
  const identity = { service: 'tests', version: undefined, environment: 'test' }
  const nothing = { channels: () => [], has: () => false, pause() {}, resume() {} }
  const host = { identity, platform, logger: silentLogger, events: createEvents(() => {}), ...nothing }
  const settings = resolveControlPlane({ url: 'http://localhost', token }, 'controlPlane')
  const reporter = createReporter(settings, host, news)
  reporter.start()
  for (let n = 0; n < 20; n++) {
    reporter.succeeded(
      { message: { body: null, ...replayed(n) }, address: { name: 'work' } },
      resolveChannel('work', { deadLetter: 'dead' }),
    )
    await clock.advance(30_000)
  }
  isDown = false
  await clock.advance(120_000)
  return lettersOf(heard)
}

/** The mistake: what was sent is taken to have been heard. */
function forgetful(): News {
  const news = createNews()
  return {
    ...news,
    get isEmpty() {
      return news.isEmpty
    },
    next(share) {
      const told = news.next(share)
      news.heard(told)
      return told
    },
  }
}

describe('while the control plane is away', () => {
  const all = Array.from({ length: 20 }, (_, n) => `letter-${n}`).toSorted()

  it('keeps what it has to report, and reports all of it, once, when it is back', async () => {
    expect((await heardAfterOutage(createNews())).toSorted()).toEqual(all)
  })

  it('would be seen to lose reports, if what was sent were forgotten before it was heard', async () => {
    expect((await heardAfterOutage(forgetful())).toSorted()).not.toEqual(all)
  })

  it('tries less and less often, and says once that nobody hears it', async () => {
    const world = await listening()
    world.answer = () => Promise.reject(new TypeError('fetch failed'))
    await world.clock.advance(600_000)
    expect(world.reports.length).toBeLessThan(30)
    expect(world.logs.filter(({ message }) => message.includes('does not hear us'))).toHaveLength(1)
    world.answer = () => fine()
    await world.clock.advance(60_000)
    expect(world.logs.at(-1)).toMatchObject({ level: 'info', message: 'The control plane hears us again' })
  })

  it.each([401, 403])('asks seldom when its token is refused with %i, and never logs the token', async (status) => {
    const world = await listening()
    world.answer = async () => ({ status, json: { detail: token } })
    await world.clock.advance(3_600_000)
    expect(world.reports.length).toBeLessThan(30)
    expect(world.logs.some(({ level, message }) => level === 'error' && message.includes('consumers:report'))).toBe(true)
    expect(JSON.stringify(world.logs)).not.toContain(token)
  })

  it('goes on reporting and consuming although its logger throws', async () => {
    const world = await listening()
    world.answer = () => Promise.reject(new TypeError('fetch failed'))
    for (const level of ['info', 'warn', 'error'] as const) {
      world.logger[level] = () => {
        throw new Error('the disk of the log is full')
      }
    }
    await world.clock.advance(60_000)
    world.answer = () => fine()
    await world.put(1, replayed(1))
    await world.clock.advance(120_000)
    expect(lettersOf(world.reports)).toContain('letter-1')
    expect(world.of('completed')).toHaveLength(1)
  })

  it('sends less at a time when a report was too large, and all of it in the end', async () => {
    const world = await listening()
    world.answer = async ({ succeeded }) => (succeeded.length > 10 ? { status: 413, json: undefined } : fine())
    for (let n = 0; n < 100; n++) await world.put(n, replayed(n))
    await world.clock.advance(300_000)
    const heard = world.reports.filter(({ succeeded }) => succeeded.length <= 10)
    expect(new Set(lettersOf(heard)).size).toBe(100)
  })
})

describe('a control plane that is slow or hostile', () => {
  test.each<[string, Listening['answer']]>([
    ['that never answers', () => new Promise(() => {})],
    ['that answers with nothing', async () => ({ status: 200, json: undefined })],
    ['that answers with null', async () => ({ status: 200, json: null })],
    ['whose orders are no list', async () => ({ status: 200, json: { orders: 'all' } })],
    [
      'whose orders are no orders',
      async () => ({ status: 200, json: { orders: [null, 1, {}, { channel: 'work', order: 'stop', number: 1 }] } }),
    ],
    [
      'that orders channels about which nobody knows',
      async () => fine({ orders: [{ channel: '__proto__', order: 'pause', number: 1 }] }),
    ],
    ['that throws no error', () => Promise.reject(undefined)],
    [
      'that fails at once',
      () => {
        throw new Error('no')
      },
    ],
  ])('%s changes nothing about consuming, and a stop ends', async (_, answer) => {
    const world = await listening()
    world.answer = answer
    for (let n = 0; n < 50; n++) {
      await world.put(n, replayed(n))
      await world.clock.advance(1000)
    }
    expect(world.of('completed')).toHaveLength(50)
    expect(world.consumer().channels()).toMatchObject([{ state: 'consuming' }])
    const stopped = world.consumer().stop()
    await world.clock.advance(5000)
    await stopped
  })
})

describe('an order of the control plane', () => {
  const order = (kind: 'pause' | 'resume', number: number, channel = 'work'): ReportAnswer => ({
    orders: [{ channel, order: kind, number }],
  })
  const stateOf = (world: Listening): string | undefined => world.consumer().channels()[0]?.state

  it('pauses a channel and resumes it, each once, and is answered with a report at once', async () => {
    const world = await listening()
    world.answer = () => fine(order('pause', 1))
    await world.clock.advance(5250)
    expect([stateOf(world), world.reports.at(-1)?.channels[0]?.state]).toEqual(['paused', 'paused'])
    world.consumer().resume('work')
    await world.clock.advance(10_000)
    expect(stateOf(world)).toBe('consuming')
    world.answer = () => fine(order('pause', 2))
    await world.clock.advance(5000)
    world.answer = () => fine(order('resume', 3))
    await world.clock.advance(5000)
    expect(stateOf(world)).toBe('consuming')
    expect(world.of('paused')).toHaveLength(2)
  })

  it('to pause also holds for a consumer that was started since; one to resume does not', async () => {
    const world = testingWorld()
    const started = async (answer: ReportAnswer): Promise<Consumer> => {
      const consumer = world.consumer({
        controlPlane: { url: 'http://localhost', token },
        platform: { ...world.platform, postJson: () => fine(answer) },
      })
      consumer.channel('work', { deadLetter: 'dead' }).on(Job, async () => {})
      await consumer.start()
      await world.clock.settle()
      return consumer
    }
    expect((await started(order('pause', 9))).channels()).toMatchObject([{ state: 'paused' }])
    const ownPause = await started(order('resume', 9))
    ownPause.pause('work')
    await world.clock.advance(20_000)
    expect(ownPause.channels()).toMatchObject([{ state: 'paused' }])
  })

  it('is not carried out by a consumer that does not let itself be steered', async () => {
    const world = await listening(undefined, { controlPlane: { mayPause: false } })
    world.answer = () => fine(order('pause', 1))
    await world.clock.advance(20_000)
    expect(stateOf(world)).toBe('consuming')
  })
})

test('a consumer without a control plane sends nothing anywhere', async () => {
  const world = testingWorld()
  let posted = 0
  const postJson: PostJson = () => {
    posted++
    return fine()
  }
  await world.consume(async () => {}, {}, { platform: { ...world.platform, postJson } })
  await world.put(1, replayed(1))
  await world.clock.advance(60_000)
  expect(posted).toBe(0)
})

test.each([
  [{ url: 'http://redrive.example', token }, 'https'],
  [{ url: 'ftp://localhost', token }, 'a URL such as'],
  [{ url: 'https://ana:secret@redrive.example', token }, 'a URL such as'],
  [{ url: 'https://redrive.example' }, 'controlPlane.token is missing'],
  [{ url: 'https://redrive.example', token: `${token}\n` }, 'without line breaks'],
  [{ url: 'https://redrive.example', token, every: '10ms' }, 'from 1s to 5m'],
  [{ url: 'https://redrive.example', token, mayPuase: false }, 'Did you mean "mayPause"?'],
])('the option controlPlane: %j is refused, without its secrets', (controlPlane, told) => {
  const world = testingWorld()
  const make = (): unknown => world.consumer({ controlPlane: controlPlane as ControlPlaneOptions })
  expect(make).toThrow(told)
  expect(make).not.toThrow(token)
})
