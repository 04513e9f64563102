import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Workplace, workplace } from '../../../test/cli/run-redrive.ts'
import { raise } from '../../../test/control/alerting.fixture.ts'
import { noFlaps } from '../../core/alerts/flapping.ts'
import { raisedAlert } from '../../core/alerts/raised-alert.fixture.ts'
import { systemClock } from '../../platform/clock.ts'
import { sqliteVault } from '../../vault/sqlite/sqlite-vault.ts'
import { exitCodes } from '../exit-codes.ts'

const hostile = 'dlq.\u001b[31morders'

async function alarmed(): Promise<{ here: Workplace; id: string }> {
  const here = workplace({ REDRIVE_VAULT: 'vault.db', USER: 'ana' })
  onTestFinished(() => here.remove())
  const vault = sqliteVault({ file: join(here.folder, 'vault.db') })
  const [id = ''] = await raise(
    vault,
    [{ subject: { source: 'shop', queue: hostile }, values: { letters: 3 } }],
    systemClock.now(),
  )
  await vault.close()
  return { here, id }
}

describe('redrive alerts', () => {
  it('lists what is wrong, with nothing that acts on a terminal', async () => {
    const { here, id } = await alarmed()
    const { out, status } = await here.redrive('alerts')
    expect(status).toBe(exitCodes.done)
    expect(out).toContain(id.slice(0, 12))
    expect(out).toContain('CRITICAL')
    expect(out).not.toContain('\u001b')
    expect(JSON.parse((await here.redrive('alerts', '--json')).out)).toMatchObject({
      alerts: [{ fingerprint: id, phase: 'firing' }],
    })
  })

  it('lists one that comes and goes, whatever it is at the moment', async () => {
    const { here } = await alarmed()
    const vault = sqliteVault({ file: join(here.folder, 'vault.db') })
    const alert = raisedAlert({ state: { phase: 'ok', since: 0, episode: 3 }, flaps: { ...noFlaps(0), isFlapping: true } })
    const over = raisedAlert({ subject: { source: 'shop', queue: 'dlq.over' }, state: { phase: 'ok', since: 0, episode: 1 } })
    await vault.write('commitAlerts', {
      ...{ alerts: [alert, over].map((each) => ({ fingerprint: each.fingerprint, alert: each })), groups: [] },
      ...{ deliveries: [], samples: [], engine: { at: 0, savedAt: 0, lastLetter: 0, digests: {} } },
    })
    await vault.close()
    const { out } = await here.redrive('alerts')
    expect(out).toContain('ok (flapping)')
    expect(out).not.toContain('dlq.over')
  })

  it('acknowledges by as much of an id as only one has, and takes it back', async () => {
    const { here, id } = await alarmed()
    expect((await here.redrive('alerts', 'ack', id.slice(0, 6), '--for', '2h')).out).toMatch(/^acknowledged until \d{4}-/)
    expect((await here.redrive('alerts')).out).toContain('firing (acknowledged by ana)')
    expect((await here.redrive('alerts', 'ack', id, '--undo')).out).toContain('no longer acknowledged')
    expect((await here.redrive('alerts', 'ack', '00000000')).status).toBe(exitCodes.nothing)
    expect((await here.redrive('alerts', 'ack', 'x')).status).toBe(exitCodes.failed)
  })

  it('silences, extends and ends', async () => {
    const { here } = await alarmed()
    const made = await here.redrive('alerts', 'silence', 'source=shop', 'severity!=info', '--for', '2h', '--reason', 'move')
    expect(made.out).toMatch(/^silence 1 lasts until /)
    expect((await here.redrive('alerts')).out).toContain('firing (silenced)')
    expect((await here.redrive('alerts', 'silences')).out).toContain('source=shop severity!=info')
    expect((await here.redrive('alerts', 'extend', '1', '--for', '3h')).status).toBe(exitCodes.done)
    expect((await here.redrive('alerts', 'unsilence', '1')).out).toBe('silence 1 has ended\n')
    expect((await here.redrive('alerts', 'unsilence', '1')).status).toBe(exitCodes.conflict)
    expect((await here.redrive('alerts', 'silence', 'everything', '--for', '2h', '--reason', 'x')).err).toContain('is no matcher')
  })

  it('shows what was said to whom', async () => {
    const { here } = await alarmed()
    expect((await here.redrive('alerts', 'sent')).out).toContain('Poison message detected in DLQ')
    expect((await here.redrive('alerts', 'redeliver', '1')).status).toBe(exitCodes.conflict)
  })
})

describe('redrive rules', () => {
  it('lists them, and shows when one would have fired', async () => {
    const { here } = await alarmed()
    const { out } = await here.redrive('rules')
    const line = (rule: string) => out.split('\n').find((each) => each.startsWith(`${rule} `))
    expect(line('dlq.count.critical')).toContain('letters is above 1,000')
    expect(line('dlq.oldest.age')).toMatch(/ 5m +at once .*oldestAge is above 1d/)
    expect(line('fail.ratio')).toMatch(/ at once +5m .*above 1 % of handledTotal/)
    expect((await here.redrive('rules', 'test', 'dlq.any')).out).toMatch(/^dlq\.any would have fired once in 1 look from /)
    expect((await here.redrive('rules', 'test', 'dlq.any', '--limit', '3')).out).toContain('0 times')
    expect((await here.redrive('rules', 'test', 'fail.ratio', '--limit', '7%')).status).toBe(exitCodes.done)
    expect((await here.redrive('rules', 'test', 'nothing')).status).toBe(exitCodes.nothing)
  })
})
