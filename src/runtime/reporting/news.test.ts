import { expect, test } from 'vitest'
import { createNews, type News, type Told } from './news.ts'

const success = (n: number): Told['succeeded'][number] => ({ replay: 1, letter: `letter-${n}`, channel: 'work', group: null })

function all(news: News): Told {
  const told: Told[] = []
  while (!news.isEmpty) {
    const next = news.next(1)
    told.push(next)
    news.heard(next)
  }
  return { succeeded: told.flatMap(({ succeeded }) => succeeded), deadLettered: told.flatMap(({ deadLettered }) => deadLettered) }
}

test('news stay news until they were heard, and what comes meanwhile stays too', () => {
  const news = createNews()
  news.succeeded(success(1))
  const told = news.next(1)
  news.succeeded(success(2))
  expect(news.next(1).succeeded).toEqual([success(1), success(2)])
  news.heard(told)
  expect(news.next(1).succeeded).toEqual([success(2)])
  news.heard(news.next(1))
  expect(news.isEmpty).toBe(true)
})

test('a letter that succeeded twice is told once', () => {
  const news = createNews()
  news.succeeded(success(1))
  news.succeeded({ ...success(1) })
  expect(news.next(1).succeeded).toHaveLength(1)
})

test('however long nobody listens, no more than so many wait; the oldest are forgotten, and counted', () => {
  const news = createNews()
  const many = 50_000
  for (let n = 0; n < many; n++) {
    news.succeeded(success(n))
    news.deadLettered({ channel: 'work', correlationId: `c-${n}` })
  }
  const { forgotten } = news
  const { succeeded, deadLettered } = all(news)
  expect(succeeded.length).toBeLessThanOrEqual(20_000)
  expect(deadLettered.length).toBeLessThanOrEqual(2000)
  expect(forgotten).toBe(2 * many - succeeded.length - deadLettered.length)
  expect([succeeded[0], succeeded.at(-1)]).toEqual([success(many - succeeded.length), success(many - 1)])
  expect(deadLettered.at(-1)).toEqual({ channel: 'work', correlationId: `c-${many - 1}` })
})

test('a report holds no more than fits, and with a smaller share fewer, but at least one', () => {
  const news = createNews()
  for (let n = 0; n < 5000; n++) news.succeeded(success(n))
  expect([1, 0.5, 1e-9].map((share) => news.next(share).succeeded.length)).toEqual([2000, 1000, 1])
})
