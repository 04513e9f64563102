import { expect, test } from 'vitest'
import { resolveChannel } from '../channel-options.ts'
import { successOf } from './channel-report.ts'

const message = {
  body: null,
  headers: [
    ['redrive-letter', 'letter-1'],
    ['redrive-replay', '7'],
  ] as const,
}

test.each([
  ['its channel', 'shop', 'billing', 'shop'],
  ['its transport, where the channel names none', undefined, 'billing', 'billing'],
  ['nobody', undefined, undefined, null],
])('a success is told with the group that is named by %s, as letters have it', (_, ofChannel, ofTransport, told) => {
  const channel = resolveChannel('work', { deadLetter: 'dead', ...(ofChannel !== undefined && { group: ofChannel }) })
  const address = { name: 'work', ...(ofTransport !== undefined && { group: ofTransport }) }
  expect(successOf({ message, address }, channel)).toEqual({ replay: 7, letter: 'letter-1', channel: 'work', group: told })
})
