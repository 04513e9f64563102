import { describe, expect, test } from 'vitest'
import { createUnanswered } from './unanswered.ts'

describe('what has no answer', () => {
  test('is waited for by everybody who asks, with what begins meanwhile', async () => {
    const unanswered = createUnanswered()
    const order: string[] = []
    unanswered.began()
    const waiting = ['first', 'second'].map((who) => unanswered.none().then(() => order.push(who)))
    unanswered.ended()
    unanswered.began()
    queueMicrotask(() => order.push('later'))
    await Promise.resolve()
    await Promise.resolve()
    unanswered.ended()
    await Promise.all(waiting)
    expect(order).toEqual(['later', 'first', 'second'])
  })

  test('is nothing at first', async () => {
    await expect(createUnanswered().none()).resolves.toBeUndefined()
  })
})
