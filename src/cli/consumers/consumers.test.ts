import { describe, expect, onTestFinished, test } from 'vitest'
import { type Workplace, workplace } from '../../../test/cli/run-redrive.ts'
import { deskWith, json } from '../../../test/control/desk.fixture.ts'
import { channelReport, report } from '../../../test/control/reports.fixture.ts'
import { world } from '../../../test/server/server.fixture.ts'
import type { ConsumerReport } from '../../core/consumer-report.ts'
import { systemClock } from '../../platform/clock.ts'
import { sqliteVault } from '../../vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../vault/vault.ts'

const everywhere = [['*']]

/** Seldom enough that nobody misses a report while a slow machine works. */
const every = 300_000
const longAgo = 4 * every

/** A vault in which consumers have reported, so many milliseconds ago. */
async function reported(...reports: readonly (Partial<ConsumerReport> & { readonly ago?: number })[]): Promise<Workplace> {
  const here = await deskWith({ letters: [] })
  const vault = sqliteVault({ file: here.file })
  for (const { ago = 0, ...changes } of reports) {
    await vault.write('keepReport', { report: report({ every, ...changes }), scopes: everywhere, now: systemClock.now() - ago })
  }
  await vault.close()
  return here
}

describe('redrive consumers', () => {
  test('lists who reports, a line for each channel', async () => {
    const here = await reported({
      channels: [channelReport(), channelReport({ name: 'invoices', state: 'outage', held: 2, parked: 5 })],
    })
    const { status, out } = await here.redrive('consumers')
    expect(status).toBe(0)
    expect(out).toMatch(/shop +shop-0 +1\.4\.0 +reporting +\d+\w +orders +consuming +2 +1 +0 +0\n/)
    expect(out).toMatch(/invoices +outage +2 +1 +7 +0\n/)
    expect(await json(here, 'consumers')).toMatchObject({
      consumers: [{ service: 'shop', state: 'reporting', channels: [{}, {}] }],
    })
  })

  test('says when nobody has reported', async () => {
    expect(await (await reported()).redrive('consumers')).toMatchObject({ status: 3, out: 'no consumer has reported\n' })
  })

  test('ends with 1 when one is unknown, and says what it has left on its disk', async () => {
    const here = await reported({ ago: longAgo, channels: [channelReport({ spooled: 3, spoolAside: 1 })] })
    const { status, out } = await here.redrive('consumers')
    expect(status).toBe(1)
    expect(out).toMatch(/unknown +\d+m +orders +unknown/)
    expect(out).toContain('consumer 1 (shop shop-0) is not there; on its disk wait: 4 letters\n')
    expect(await here.redrive('consumers', 'forget', '1', '--yes')).toMatchObject({ status: 0, out: 'consumer 1 is forgotten\n' })
    expect(await here.redrive('consumers')).toMatchObject({ status: 3 })
  })

  test('does not forget one that reports, nor one without being told so', async () => {
    const here = await reported({})
    expect(await here.redrive('consumers', 'forget', '1')).toMatchObject({ status: 5 })
    expect(await here.redrive('consumers', 'forget', '1', '--yes')).toMatchObject({ status: 4 })
    expect(await here.redrive('consumers', 'forget', '2', '--yes')).toMatchObject({ status: 3 })
  })

  test('pauses and resumes a channel of a service, and shows what is not carried out yet', async () => {
    const here = await reported({})
    expect(await here.redrive('consumers', 'pause', 'shop', 'orders')).toMatchObject({
      status: 0,
      out: 'orders of shop is told to pause, by ana\n',
    })
    expect((await here.redrive('consumers')).out).toContain('consuming (to pause)')
    expect(await json(here, 'consumers', 'resume', 'shop', 'orders')).toMatchObject({ order: 'resume', actor: 'ana' })
    expect(await here.redrive('consumers', 'pause', 'shop', 'order')).toMatchObject({
      status: 3,
      err: expect.stringContaining('No consumer shop has reported a channel order.'),
    })
  })

  test('shows who paused a channel', async () => {
    const paused = { channels: [channelReport({ state: 'paused' }), channelReport({ name: 'invoices', state: 'paused' })] }
    const here = await reported(paused)
    await here.redrive('consumers', 'pause', 'shop', 'orders')
    const { out } = await here.redrive('consumers')
    expect(out).toMatch(/orders +paused \(by ana\)/)
    expect(out).toMatch(/invoices +paused \(by itself\)/)
  })

  test('shows names that act on a terminal as what they are', async () => {
    const here = await reported({
      service: 'sh\u001b[2Jop',
      ago: longAgo,
      channels: [channelReport({ name: '\u202eorders', spooled: 1 })],
    })
    const { out } = await here.redrive('consumers')
    expect(out).toContain('sh\\u001b[2Jop')
    expect(out).not.toMatch(/[\u001b\u202e]/)
  })

  test('does the same by way of a server', async () => {
    const { server, vault, clock, person, audit } = await world()
    await beat(vault, clock.now())
    const { ask } = await person({ name: 'ola', role: 'operator' })
    const { secret } = (await ask('POST', '/tokens', { name: 'terminal', role: 'operator' })).json()
    const here = workplace({ REDRIVE_SERVER: await server.listen(), REDRIVE_TOKEN: secret })
    onTestFinished(() => here.remove())
    expect(await here.redrive('consumers')).toMatchObject({ status: 0, out: expect.stringContaining('shop-0') })
    expect(await here.redrive('consumers', 'pause', 'shop', 'orders')).toMatchObject({
      status: 0,
      out: 'orders of shop is told to pause, by ola\n',
    })
    expect(await here.redrive('consumers', 'resume', 'shop', 'orders')).toMatchObject({ status: 0 })
    expect(await here.redrive('consumers', 'forget', '1', '--yes')).toMatchObject({ status: 4 })
    expect((await audit()).filter(({ action, result }) => action === 'consumers.pause' && result === 'done')).toHaveLength(1)
  })
})

const beat = (vault: Vault, now: number): Promise<unknown> =>
  vault.write('keepReport', { report: report(), scopes: everywhere, now })
