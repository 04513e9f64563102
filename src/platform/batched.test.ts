import { expect, it } from 'vitest'
import { RedriveError } from '../core/errors.ts'
import { batched } from './batched.ts'
import { systemClock } from './clock.ts'

const clock = systemClock

it('lets calls that are made close together share a round trip, and answers each', async () => {
  const batches: number[][] = []
  const { call } = batched<number, number>({
    clock,
    async run(items) {
      batches.push([...items])
      return items.map((item) => item * 2)
    },
  })
  expect(await Promise.all([1, 2, 3].map(call))).toEqual([2, 4, 6])
  expect(batches).toEqual([[1, 2, 3]])
})

it('looks for the one by halves when the server refuses them together, so that it harms nobody', async () => {
  let runs = 0
  const { call } = batched<number, number>({
    clock,
    async run(items) {
      runs++
      if (items.includes(2)) throw new RedriveError('refused', 'not this one')
      return items
    },
  })
  const outcomes = await Promise.allSettled(Array.from({ length: 64 }, (_, item) => call(item)))
  expect(outcomes.flatMap(({ status }, item) => (status === 'rejected' ? [item] : []))).toEqual([2])
  expect(runs).toBe(1 + 2 * Math.log2(64))
})

it.each(['unsure', 'unreachable', 'store-full', 'closed'] as const)(
  'tries nothing again of which the answer was %s',
  async (code) => {
    let runs = 0
    const { call } = batched<number, number>({
      clock,
      async run() {
        runs++
        throw new RedriveError(code, 'silence')
      },
    })
    const outcomes = await Promise.allSettled([1, 2, 3].map(call))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(runs).toBe(1)
  },
)

it('tries nothing by halves that the server alone brought about', async () => {
  let runs = 0
  const { call } = batched<number, number>({
    clock,
    isOfTheServer: (error) => (error as RedriveError).message === 'locked',
    async run() {
      runs++
      throw new RedriveError('refused', 'locked')
    },
  })
  await Promise.allSettled([1, 2, 3].map(call))
  expect(runs).toBe(1)
})

it('carries no more bytes at a time than fit, and one that is larger alone', async () => {
  const batches: number[] = []
  const mebibyte = 1024 * 1024
  const { call } = batched<number, undefined>({
    clock,
    weigh: (item) => item,
    async run(items) {
      batches.push(items.length)
      return items.map(() => undefined)
    },
  })
  await Promise.all([20 * mebibyte, 5 * mebibyte, 3 * mebibyte, mebibyte].map(call))
  expect(batches).toEqual([1, 2, 1])
})

it('lets those that wait leave at once when somebody is in a hurry, and no more at a time than it may', async () => {
  const batches: number[][] = []
  const answer = Promise.withResolvers<void>()
  const { call, hurry } = batched<number, undefined>({
    clock,
    atOnce: 1,
    async run(items) {
      batches.push([...items])
      await answer.promise
      return items.map(() => undefined)
    },
  })
  const first = [call(1), call(2)]
  hurry()
  expect(batches).toEqual([[1, 2]])
  const last = call(3)
  hurry()
  expect(batches).toEqual([[1, 2]])
  answer.resolve()
  await Promise.all([...first, last])
  expect(batches).toEqual([[1, 2], [3]])
})
