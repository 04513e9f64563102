import { describe, expect, test } from 'vitest'
import { forgetRecords } from '../../src/ops/forget-records.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { forgetReplays } from '../../src/vault/operations/forget-replays.ts'
import type { Sql, Value } from '../../src/vault/sql.ts'
import { deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'
import { type MemoryVault, memoryVault } from './memory-vault.ts'

const day = 24 * 3_600_000
const clock = virtualClock({ start: noon })

async function put(vault: MemoryVault, table: string, row: Readonly<Record<string, Value>>): Promise<void> {
  const columns = Object.keys(row)
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  await vault.perform((sql) => sql.run(text, ...Object.values(row)))
}

async function column(vault: MemoryVault, text: string): Promise<readonly unknown[]> {
  const rows = await vault.perform((sql) => sql.all<{ found: unknown }>(text))
  return rows.map(({ found }) => found)
}

describe('what is over is forgotten', () => {
  test('hours of causes after 400 days', async () => {
    const vault = memoryVault()
    const hour = Math.floor(noon / 3_600_000)
    for (const ago of [0, 399 * 24, 401 * 24, 9000 * 24])
      await put(vault, 'cause_hours', { cause: 1, hour: hour - ago, letters: 1 })
    await forgetRecords({}, vault, clock)
    expect(await column(vault, 'SELECT hour AS found FROM cause_hours ORDER BY hour')).toEqual([hour - 399 * 24, hour])
  })

  test('deliveries that nobody took after 90 days, but for the last one to each sink', async () => {
    const vault = memoryVault()
    const delivery = (sink: string, name: string, state: string, ago: number) =>
      put(vault, 'deliveries', {
        ...{ sink, group_key: 'g', name, made_at: 1, notification: '{}', state },
        ...{ state_since: noon - ago * day, next_at: 1 },
      })
    await delivery('mail', 'dead for long', 'dead', 91)
    await delivery('mail', 'dead', 'dead', 89)
    await delivery('mail', 'waits', 'waiting', 91)
    await delivery('pager', 'its last', 'dead', 300)
    await forgetRecords({}, vault, clock)
    expect(await column(vault, 'SELECT name AS found FROM deliveries ORDER BY name')).toEqual(['dead', 'its last', 'waits'])
  })

  test('deliveries that were told, but for the last one that each sink took: it is still known to be well', async () => {
    const vault = memoryVault()
    const delivery = (sink: string, name: string, state: string, ago: number) =>
      put(vault, 'deliveries', {
        ...{ sink, group_key: 'g', name, made_at: 1, notification: '{}', state },
        ...{ state_since: noon - ago * day, next_at: 1 },
      })
    await delivery('mail', 'first', 'sent', 50)
    await delivery('mail', 'refused', 'dead', 45)
    await delivery('mail', 'instead', 'collapsed', 40)
    await delivery('mail', 'last', 'sent', 40)
    await delivery('pager', 'long ago', 'sent', 300)
    await delivery('pager', 'late', 'sent', 29)
    await vault.write('forgetDeliveries', { before: noon - 30 * day })
    expect(await column(vault, 'SELECT name AS found FROM deliveries ORDER BY name')).toEqual(['last', 'late', 'refused'])
    expect(await vault.read('sinkHealth', undefined)).toMatchObject([{ sink: 'mail', dead: 1, failingSince: null }])
  })

  test('tokens 90 days after they were good, ended sessions and links', async () => {
    const vault = memoryVault()
    const token = (name: string, expires: number, revoked: number | null) =>
      put(vault, 'tokens', {
        ...{ user_id: 1, name, hash: name, last4: 'abcd', role: 'viewer', sources: '[]', reveal: 0, made_at: 1 },
        ...{ expires_at: expires, revoked_at: revoked },
      })
    await token('good', noon + day, null)
    await token('expired', noon - 89 * day, null)
    await token('expired for long', noon - 91 * day, null)
    await token('revoked', noon + day, noon - 89 * day)
    await token('revoked for long', noon + day, noon - 91 * day)
    for (const [hash, ago] of Object.entries({ new: 29, old: 31 })) {
      await put(vault, 'sessions', { hash, user_id: 1, made_at: noon - ago * day, used_at: noon, address: '' })
    }
    for (const [hash, ago] of Object.entries({ good: -1, old: 1 })) {
      await put(vault, 'one_time_links', { hash, user_id: 1, expires_at: noon - ago * day })
    }
    await forgetRecords({}, vault, clock)
    expect(await column(vault, 'SELECT name AS found FROM tokens ORDER BY name')).toEqual(['expired', 'good', 'revoked'])
    expect(await column(vault, 'SELECT hash AS found FROM sessions')).toEqual(['new'])
    expect(await column(vault, 'SELECT hash AS found FROM one_time_links')).toEqual(['good'])
  })

  test('silences and marks 90 days after they ended, in the time of the alert engine', async () => {
    const vault = memoryVault()
    const engine = 1000 * day
    await put(vault, 'alert_engine', { id: 1, at: engine, saved_at: noon, last_letter: 0, record: '{}' })
    for (const [reason, ends] of Object.entries({ ended: engine - 89 * day, 'ended long ago': engine - 91 * day })) {
      await put(vault, 'silences', { matchers: '[]', author: 'ana', reason, made_at: 1, starts: 1, ends, even_protected: 0 })
    }
    const alert = { rule: 'r', severity: 's', source: 's', phase: 'firing', changed_at: 1, record: '{}', is_open: 1 }
    await put(vault, 'alerts', { ...alert, fingerprint: 'acknowledged', episode: 2 })
    await put(vault, 'alerts', { ...alert, fingerprint: 'another episode', episode: 3 })
    const mark = (fingerprint: string, acknowledged: number | null, snoozed: number | null) =>
      put(vault, 'alert_marks', { fingerprint, episode: 2, acknowledged_until: acknowledged, snoozed_until: snoozed })
    await mark('acknowledged', engine + day, null)
    await mark('another episode', engine + day, null)
    await mark('of nothing', engine + day, engine - 91 * day)
    await mark('snoozed', null, engine + day)
    await mark('snoozed long ago', engine - 91 * day, engine - 91 * day)
    await forgetRecords({}, vault, clock)
    expect(await column(vault, 'SELECT reason AS found FROM silences')).toEqual(['ended'])
    expect(await column(vault, 'SELECT fingerprint AS found FROM alert_marks ORDER BY fingerprint')).toEqual([
      'acknowledged',
      'snoozed',
    ])
  })
})

describe('replays that ended long ago', () => {
  /** Replays 1 to 4, each with three letters: done, cancelled, done with a letter that nobody knows about, and one that runs. */
  async function vaultWithReplays(): Promise<MemoryVault> {
    const vault = memoryVault()
    const letters = await keep(
      vault,
      await sourceIn(vault),
      Array.from({ length: 12 }, (_, n) => deadLetter({ n })),
    )
    for (const [index, [state, line]] of replays.entries()) {
      const replay = {
        name: `replay ${index}`,
        actor: 'ana',
        made_at: 1,
        state,
        state_since: noon - 400 * day,
        seal: '',
        plan: '{}',
        letters: 3,
      }
      await put(vault, 'replays', replay)
      await put(vault, 'replay_counts', { replay: index + 1, state: line, letters: 3 })
      for (const seq of [0, 1, 2]) {
        const letter = letters[index * 3 + seq] ?? 0
        await put(vault, 'replay_letters', { replay: index + 1, seq, letter, state: line, destination: '{}', at: 1 })
        await vault.perform((sql) => sql.run('UPDATE letters SET state = ? WHERE id = ?', states[line] ?? 'open', letter))
      }
    }
    return vault
  }

  const replays = [
    ['done', 'succeeded'],
    ['cancelled', 'cancelled'],
    ['done', 'unknown'],
    ['running', 'sent'],
  ] as const
  const states: Readonly<Record<string, string>> = { succeeded: 'succeeded', unknown: 'unknown', sent: 'sent' }

  const kept = async (vault: MemoryVault) => [
    await column(vault, 'SELECT id AS found FROM replays ORDER BY id'),
    await column(vault, 'SELECT DISTINCT replay AS found FROM replay_letters ORDER BY replay'),
  ]

  test('go with their ledgers, but for those that run or have letters of which nobody knows', async () => {
    const vault = await vaultWithReplays()
    const counted = await vault.read('countReplayed', undefined)
    await forgetRecords({ replays: 365 * day }, vault, clock)
    expect(await kept(vault)).toEqual([
      [3, 4],
      [3, 4],
    ])
    expect(await vault.read('countReplayed', undefined)).toEqual(counted)
    expect(await vault.read('unfinishedReplays', undefined)).toEqual([4])
  })

  test('stay where nobody has said for how long, and while they are not old enough', async () => {
    const vault = await vaultWithReplays()
    await forgetRecords({}, vault, clock)
    await forgetRecords({ replays: 401 * day }, vault, clock)
    expect(await kept(vault)).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ])
  })

  test('go line by line, so that no step is longer than another, and the replay with its last one', async () => {
    const vault = await vaultWithReplays()
    const step = () => vault.write('forgetReplays', { before: noon, limit: 2 })
    expect(await step()).toEqual({ isOver: false })
    expect(await column(vault, 'SELECT seq AS found FROM replay_letters WHERE replay = 1')).toEqual([2])
    expect(await vault.read('showReplay', { replay: 1 })).toMatchObject({ state: 'done' })
    await step()
    await expect(vault.read('showReplay', { replay: 1 })).rejects.toMatchObject({ code: 'not-found' })
  })

  test('planted bug: who asks for age alone forgets one with letters of which nobody knows', async () => {
    const vault = await vaultWithReplays()
    const careless = (sql: Sql): Sql => ({
      ...sql,
      get: (text, ...parameters) => sql.get(text.replace(/AND NOT EXISTS[\s\S]*\)\s+ORDER/, 'ORDER'), ...parameters),
    })
    for (let isOver = false; !isOver; ) {
      ;({ isOver } = await vault.perform((sql) => forgetReplays(careless(sql), { before: noon, limit: 100 })))
    }
    expect(await kept(vault)).toEqual([[4], [4]])
  })
})
