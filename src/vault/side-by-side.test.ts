import { describe, expect, test } from 'vitest'
import { sideBySide } from './side-by-side.ts'

type Together = (...questions: readonly Promise<unknown>[]) => Promise<unknown>

/** One question fails at once while another one, which asks twice, waits for its first answer. What was asked once the transaction had ended. */
async function askedTooLate(together: Together): Promise<readonly string[]> {
  const asked: string[] = []
  const answer = Promise.withResolvers<void>()
  let hasEnded = false
  async function twice(): Promise<void> {
    await answer.promise
    if (hasEnded) asked.push('the second question')
  }
  const asking = twice()
  const transaction = together(Promise.reject(new Error('no')), asking).catch(() => {
    hasEnded = true
  })
  await new Promise<void>((resolve) => setImmediate(resolve))
  answer.resolve()
  await Promise.all([transaction, asking])
  return asked
}

describe('statements side by side', () => {
  test('give their answers in their order', async () => {
    expect(await sideBySide(Promise.resolve(1), Promise.resolve('two'))).toEqual([1, 'two'])
  })

  test('fail with the first of them that failed', async () => {
    const failing = [Promise.resolve(1), Promise.reject(new Error('two')), Promise.reject(new Error('three'))] as const
    await expect(sideBySide(...failing)).rejects.toThrow('two')
  })

  test('ask nothing any more once their transaction has ended', async () => {
    expect(await askedTooLate(sideBySide)).toEqual([])
  })

  test('planted bug: who does not wait for the others lets them ask too late', async () => {
    expect(await askedTooLate((...questions) => Promise.all(questions))).toEqual(['the second question'])
  })
})
