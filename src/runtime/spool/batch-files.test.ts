import { expect, it } from 'vitest'
import { nextSequence } from './batch-files.ts'

it.each([0, 1, 200_000])('the next number is the first that none of %i files has', (files) => {
  const names = Array.from({ length: files }, (_, n) => `${String(n + 1).padStart(12, '0')}-1.letters`)
  expect(nextSequence(names)).toBe(files + 1)
})
