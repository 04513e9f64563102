import { PermanentError } from '../../../src/redrive.ts'

const megabyte = 1024 * 1024

/** Errors by which dead-lettering has failed elsewhere: too long for a header, too deep, endless, and hostile when looked at. */
const monsters: readonly (() => unknown)[] = [
  () => new PermanentError('m'.repeat(megabyte)),
  () =>
    Object.assign(new PermanentError('a long stack'), {
      stack: `PermanentError: a long stack\n${'    at f (f.ts:1)\n'.repeat(60_000)}`,
    }),
  () => deep(1000),
  () => {
    const error = new PermanentError('its own cause')
    return Object.assign(error, { cause: error })
  },
  () => Object.defineProperty(new PermanentError('do not look'), 'cause', { get: () => fail() }),
]

export function monstrousError(number: number): unknown {
  return monsters[Math.floor(number / 10) % monsters.length]?.()
}

function deep(levels: number): Error {
  let error = new PermanentError('the first cause')
  for (let level = 0; level < levels; level++) error = new PermanentError(`level ${level}`, { cause: error })
  return error
}

function fail(): never {
  throw new Error('a getter that throws')
}
