import { expect, test } from 'vitest'
import { RedriveError } from '../../src/core/errors.ts'
import { sourceFindings } from '../../src/ops/source-findings.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { openVault, sourceIn } from './letters.fixture.ts'

test('what a broker says about a dead-letter channel is told, and one that cannot be asked is not said to be fine', async () => {
  const vault = openVault()
  const [missing, away] = [await sourceIn(vault, 'dlq.none', 'here'), await sourceIn(vault, 'dlq.orders', 'away')]
  await sourceIn(vault, 'dlq.of.yesterday', 'gone')
  const silent: Transport = { ...memory(), provision: () => Promise.reject(new RedriveError('unreachable', 'It is away.')) }
  const source = (connection: string, transport: Transport, name: string) => {
    return { connection, transport, address: { name }, mode: 'collect' as const }
  }
  const configured = [source('here', memory(), 'dlq.none'), source('away', silent, 'dlq.orders')]
  const found = await sourceFindings(configured, vault)
  expect(found.map(({ id, severity, what }) => ({ id, severity, what }))).toEqual(
    expect.arrayContaining([
      { id: missing, severity: 'missing', what: 'channel-missing' },
      { id: away, severity: 'unknown', what: 'cannot-be-asked' },
    ]),
  )
  expect(found.find(({ id }) => id === away)?.message).toContain('unreachable')
})
