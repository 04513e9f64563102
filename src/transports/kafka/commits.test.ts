import { describe, expect, it } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { codes } from './answers.ts'
import type { Cluster } from './cluster.ts'
import { type Commits, createCommits } from './commits.ts'
import { createLane, keep, type Lane, readOn } from './lane.ts'
import type { Kafka } from './library.ts'
import type { Membership } from './membership.ts'
import type { Settings } from './options.ts'

interface Bench {
  readonly clock: ReturnType<typeof virtualClock>
  readonly commits: Commits
  readonly lanes: readonly [Lane, Lane]
  /** What was told, as `partition:offset`, one text for each request. */
  readonly told: string[]
  /** The generation that each was told under. */
  readonly under: number[]
  /** The one that the member is in. */
  readonly member: { generation: number }
  /** Answers the request that is under way, with an error where there is a code. */
  answer(code?: number): Promise<void>
}

/** Two partitions with ten records each, all of them in hand. */
function begun(): Bench {
  const clock = virtualClock()
  const told: string[] = []
  const under: number[] = []
  const member = { generation: 1 }
  const answers: ((code: number) => void)[] = []
  const lanes = [0, 1].map((partition) => createLane({ topic: 'orders', partition }, 0n, null)) as [Lane, Lane]
  for (const lane of lanes) {
    keep(lane, [tenRecords()])
    readOn(lane, 10)
    lane.ledger.take(10, 0)
  }
  type Topic = { partitions: { partitionIndex: number; committedOffset: bigint }[] }
  const async = (...request: unknown[]) =>
    new Promise((resolve, reject) => {
      under.push(request[2] as number)
      const partitions = (request.at(-1) as Topic[]).flatMap((topic) => topic.partitions)
      told.push(partitions.map(({ partitionIndex, committedOffset }) => `${partitionIndex}:${committedOffset}`).join(' '))
      answers.push((apiCode) => (apiCode === codes.none ? resolve({}) : reject({ response: {}, errors: [{ apiCode }] })))
    })
  const commits = createCommits(
    { offsetCommitV8: { api: { async } } } as unknown as Kafka,
    { connectedCoordinator: () => ({}), forgetCoordinator: () => {} } as unknown as Cluster,
    { clock, answerWithin: 1000 } as unknown as Settings,
    'shop',
    new Map(lanes.map((lane) => [lane.name, lane])),
    {
      membership: () =>
        ({ ...member, memberId: 'me', movedOn: async (from: number) => member.generation !== from }) as unknown as Membership,
      committed: () => {},
    },
  )
  return {
    clock,
    commits,
    lanes,
    told,
    under,
    member,
    async answer(code = codes.none) {
      answers.shift()?.(code)
      await clock.settle()
    },
  }
}

function tenRecords() {
  let offset = 0n
  const record = { bytes: Buffer.from([0]), timestamp: 0, keyAt: 0, keyLength: -1, valueAt: 0, valueLength: -1, headersAt: 0 }
  return {
    next: 10n,
    size: 0,
    get left() {
      return 10 - Number(offset)
    },
    read: () => (offset < 10n ? { offset: offset++, record } : undefined),
  }
}

describe('commits', () => {
  it('whatever is settled in one turn of the event loop shares a request', async () => {
    const { clock, commits, lanes, told } = begun()
    for (const lane of lanes)
      for (const offset of [0n, 1n, 2n]) {
        lane.ledger.complete(offset)
        void commits.committed(lane)
      }
    expect(told).toEqual([])
    await clock.settle()
    expect(told).toEqual(['0:3 1:3'])
  })

  it('who cannot go on before is told for at once, with all that was settled meanwhile', () => {
    const { commits, lanes, told } = begun()
    lanes[0].ledger.complete(0n)
    void commits.committed(lanes[0])
    commits.committedSoon([lanes[1]])
    expect(told).toEqual(['0:1 1:0'])
  })

  it('while a request is under way there is no other, and the next one tells the newest state', async () => {
    const { clock, commits, lanes, told, answer } = begun()
    const [lane] = lanes
    commits.committedSoon([lane])
    for (const offset of [0n, 1n, 2n, 3n]) {
      lane.ledger.complete(offset)
      void commits.committed(lane)
      commits.committedSoon([lane])
      await clock.settle()
    }
    expect(told).toEqual(['0:0'])
    await answer()
    expect(told).toEqual(['0:0', '0:4'])
  })

  it('what was settled behind a request is not confirmed by it', async () => {
    const { commits, lanes, answer } = begun()
    const [lane] = lanes
    const confirmed: string[] = []
    const [begin] = commits.committedSoon([lane])
    void begin?.then(() => confirmed.push('begin'))
    lane.ledger.complete(0n)
    void commits.committed(lane).then(() => confirmed.push('settled'))
    await answer()
    expect(confirmed).toEqual(['begin'])
    await answer()
    expect(confirmed).toEqual(['begin', 'settled'])
  })

  it('what has to be told again is told under the generation in which the partitions were ours', async () => {
    const { clock, commits, lanes, told, under, member, answer } = begun()
    commits.committedSoon(lanes)
    await answer(codes.coordinatorLoading)
    member.generation = 2
    await clock.advance(50)
    expect([told, under]).toEqual([
      ['0:0 1:0', '0:0 1:0'],
      [1, 1],
    ])
    await answer(codes.illegalGeneration)
    expect(under).toEqual([1, 1, 2])
  })

  it('whoever hears of a commit and wants the next one need not wait', async () => {
    const { commits, lanes, told, answer } = begun()
    const [lane] = lanes
    const [begin] = commits.committedSoon([lane])
    lane.ledger.complete(0n)
    void commits.committed(lane)
    let seen: string[] = []
    void begin?.then(() => {
      commits.committedSoon([lanes[1]])
      seen = [...told]
    })
    await answer()
    expect(seen).toEqual(['0:0', '0:1 1:0'])
  })
})
