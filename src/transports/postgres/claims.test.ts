import { expect, test } from 'vitest'
import type { Connections } from '../../platform/postgres/connections.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Claim } from '../leases/protocol.ts'
import { createClaims } from './claims.ts'
import { resolveOptions } from './options.ts'

const request: Claim = { channel: 1, max: 10, until: 30_000, suspects: 'withhold' }
const orders = { id: 1, name: 'orders', lanes: false }
const invoices = { id: 2, name: 'invoices', lanes: true }

/** A server that answers with nothing, when the test says so. */
function setUp() {
  const asked: { readonly sql: string; answer(): void; refuse(): void }[] = []
  const copy: Connections['copy'] = ({ sql }) =>
    new Promise((answer, reject) => void asked.push({ sql, answer, refuse: () => reject(new Error('refused')) }))
  const settings = resolveOptions({ url: 'postgres://nobody@127.0.0.1:1/none', schema: 'queue', clock: virtualClock() })
  return { claims: createClaims({ copy }, settings), asked }
}

test('claims of one channel are made one after the other', async () => {
  const { claims, asked } = setUp()
  const [first] = [claims.claim(orders, request), claims.claim(orders, request)]
  expect(asked).toHaveLength(1)
  asked[0]?.answer()
  await first
  await expect.poll(() => asked.length).toBe(2)
})

test('one that fails does not keep back the next', async () => {
  const { claims, asked } = setUp()
  const [first, second] = [claims.claim(orders, request), claims.claim(orders, request)]
  asked[0]?.refuse()
  await expect(first).rejects.toThrow('refused')
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.answer()
  await expect(second).resolves.toMatchObject({ ids: [] })
})

test('are one statement to the server, whatever is asked', async () => {
  const { claims, asked } = setUp()
  const first = claims.claim(orders, request)
  asked[0]?.answer()
  await first
  void claims.claim(orders, { ...request, max: 7, suspects: 'alone' })
  await expect.poll(() => asked.length).toBe(2)
  expect(new Set(asked.map(({ sql }) => sql)).size).toBe(1)
})

test('those of another channel wait for none of them', () => {
  const { claims, asked } = setUp()
  void claims.claim(orders, request)
  void claims.claim(invoices, request)
  expect(asked.map(({ sql }) => /queue\.\w+/.exec(sql)?.[0])).toEqual(['queue.claim', 'queue.claim_in_lanes'])
})
