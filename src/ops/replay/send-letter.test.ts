import { expect, test } from 'vitest'
import { encodeEnvelope } from '../../core/envelope.ts'
import { RedriveError } from '../../core/errors.ts'
import { memory } from '../../transports/memory/memory.ts'
import type { SendOptions, Transport } from '../../transports/seam.ts'
import type { ClaimedLetter } from '../../vault/operations/claims.ts'
import { sendLetter } from './send-letter.ts'

const claimed: ClaimedLetter = {
  seq: 0,
  letter: 1,
  name: 'letter-1',
  generation: 0,
  dialect: 'redrive',
  destination: { connection: 'shop', channel: 'orders' },
  key: null,
  envelope: encodeEnvelope({ body: null, headers: [] }),
  body: null,
  copy: null,
}

function remembering(): { readonly transport: Transport; readonly sent: (SendOptions | undefined)[] } {
  const sent: (SendOptions | undefined)[] = []
  const transport: Transport = {
    ...memory(),
    async send(_address, _message, options) {
      sent.push(options)
      return { duplicate: false }
    },
  }
  return { transport, sent }
}

test('two letters of one name in one replay are two to a broker that deduplicates', async () => {
  const { transport, sent } = remembering()
  for (const seq of [0, 1]) await sendLetter({ ...claimed, seq, letter: seq }, 7, () => transport)
  expect(new Set(sent.map((options) => options?.dedupId)).size).toBe(2)
})

test.each([
  ['access-denied', 'refused'],
  ['too-large', 'refused'],
  ['unsupported', 'refused'],
  ['unreachable', 'unsent'],
  ['unsure', 'unknown'],
] as const)('a send that fails with %s leaves its letter %s', async (code, outcome) => {
  const send = () => Promise.reject(new RedriveError(code, 'as the broker said'))
  expect(await sendLetter(claimed, 7, () => ({ ...memory(), send }))).toMatchObject({ outcome })
})

test('a letter whose broker copy cannot be taken away is not sent', async () => {
  const { transport, sent } = remembering()
  const copy = { connection: 'gone', channel: 'dlq.orders', part: '', group: '', position: '1' }
  const outcome = await sendLetter({ ...claimed, copy }, 7, (name) => (name === 'shop' ? transport : undefined))
  expect(outcome).toMatchObject({ outcome: 'refused', removed: false })
  expect(sent).toEqual([])
})
