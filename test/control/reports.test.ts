import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ReportedSuccess } from '../../src/core/consumer-report.ts'
import { names } from '../../src/core/dialects/letter-headers.ts'
import { RedriveError } from '../../src/core/errors.ts'
import type { Message } from '../../src/core/message.ts'
import type { Clock } from '../../src/core/ports.ts'
import type { Change } from '../../src/ops/control-plane.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { sealInSteps, takeInSteps } from '../../src/ops/replay/in-steps.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import type { Transport } from '../../src/transports/seam.ts'
import type { Destination } from '../../src/vault/replay-rows.ts'
import { vaultSchema } from '../../src/vault/schema.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, openVault, sourceIn, temporaryFolder } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { channelReport, report } from './reports.fixture.ts'
import { wishes } from './shop.fixture.ts'
import { describeFiles } from './vaults-under-test.ts'

const everywhere = [['*']]
const orders: Destination = { connection: 'shop', channel: 'orders' }

function emptyVault(): Vault {
  const vault = memoryVault()
  onTestFinished(() => vault.close())
  return vault
}

interface Sent {
  readonly replay: number
  readonly ids: readonly number[]
}

/** A replay of letters 1, 2, … that has sent them to where they died or elsewhere; nobody has taken them up, and its control plane is gone. */
async function sentReplay(
  vault: Vault,
  letters = 1,
  destination = orders,
  answer: 'confirmed' | 'unsure' = 'confirmed',
): Promise<Sent> {
  const clock = virtualClock({ start: noon })
  const broker = memory({ clock })
  await broker.provision({ channels: [{ address: { name: 'orders' }, role: 'work' }] }, 'apply')
  const send: Transport['send'] = () => Promise.reject(new RedriveError('unsure', 'The connection was lost.'))
  const transport = answer === 'confirmed' ? withGroups(broker) : { ...broker, send }
  const messages = Array.from({ length: letters }, (_, n) => deadLetter({ n: n + 1 }))
  const ids = await keep(vault, await sourceIn(vault), messages)
  const plane = planeOn(vault, clock, transport)
  const { replay } = await plane.replays.seal({ letters: ids }, { ...wishes, canary: undefined, destination })
  await plane.replays.start(replay.id, wishes)
  for (let sent = 0; sent < letters; sent = await onTheirWay(plane, replay.id)) await clock.advance(100)
  await plane.close()
  return { replay: replay.id, ids }
}

/** A broker that has groups, as far as sending is about them: nobody takes up anything here. */
function withGroups(broker: Transport): Transport {
  return {
    ...broker,
    send: ({ group: _, ...address }, message, options) => broker.send(address, message, options),
    measure: ({ group: _, ...address }) => broker.measure(address),
  }
}

function planeOn(vault: Vault, clock: Clock, transport?: Transport): RunningControlPlane {
  return createControlPlane({
    ...{ vault, clock, newId: () => 'id', draw: (bytes: number) => new Uint8Array(bytes) },
    ...{ sources: [], transportNamed: () => transport },
  })
}

async function onTheirWay(plane: RunningControlPlane, replay: number): Promise<number> {
  const { sent, unknown } = (await plane.replays.show(replay)).counts
  return sent + unknown
}

const success = (replay: number, changes: Partial<ReportedSuccess> = {}): ReportedSuccess => ({
  ...{ replay, letter: 'letter-1', channel: 'orders', group: null },
  ...changes,
})

async function ledgerAfter(
  vault: Vault,
  replay: number,
  succeeded: readonly ReportedSuccess[],
  scopes = everywhere,
): Promise<object> {
  await vault.write('keepReport', { report: report({ succeeded }), scopes, now: noon + 1 })
  return vault.read('countLedger', { replay })
}

describe('a success that a consumer reports', () => {
  test('makes what was sent to it succeeded, in the ledger and as a letter, however often it is told', async () => {
    const vault = emptyVault()
    const { replay, ids } = await sentReplay(vault, 2)
    const twice = [success(replay), success(replay)]
    expect(await ledgerAfter(vault, replay, twice)).toMatchObject({ sent: 1, succeeded: 1 })
    expect(await ledgerAfter(vault, replay, twice)).toMatchObject({ sent: 1, succeeded: 1 })
    expect(await vault.read('showLetter', { id: ids[0] ?? 0 })).toMatchObject({ state: 'succeeded' })
    expect((await vault.read('listCauses', { limit: 1 }))[0]).toMatchObject({ total: 2, unresolved: 1 })
  })

  test('is told back as a replay to look at, once', async () => {
    const vault = emptyVault()
    const { replay } = await sentReplay(vault)
    const told = { report: report({ succeeded: [success(replay)] }), scopes: everywhere, now: noon }
    expect((await vault.write('keepReport', told)).replays).toEqual([replay])
    expect((await vault.write('keepReport', told)).replays).toEqual([])
  })

  test('settles a letter of which nobody knew whether it was sent', async () => {
    const vault = emptyVault()
    const { replay } = await sentReplay(vault, 1, orders, 'unsure')
    expect(await ledgerAfter(vault, replay, [success(replay)])).toMatchObject({ unknown: 0, succeeded: 1 })
  })

  test('does not outdo the letter itself, when that has come back', async () => {
    const vault = emptyVault()
    const { replay } = await sentReplay(vault)
    await keep(vault, await sourceIn(vault), [deadLetter({ n: 1, replay, generation: 1 })])
    expect(await ledgerAfter(vault, replay, [success(replay)])).toMatchObject({ returned: 1, succeeded: 0 })
  })
})

/** A message that died in two groups is two letters of one name; what is said of one is nothing about the other. */
describe('of a message that died in two groups', () => {
  const groups = ['billing', 'mail'] as const

  async function sentToBoth(vault: Vault): Promise<{ readonly replay: number; readonly state: () => Promise<object> }> {
    const clock = virtualClock({ start: noon })
    const plan = { rate: 1000, canary: null, observe: 1000 }
    const ids = await keep(vault, await sourceIn(vault), groups.map(of))
    const lines = ids.map((letter, n) => ({ letter, destination: { ...orders, group: groups[n] ?? '' } }))
    const replay = await sealInSteps({ vault, clock }, { name: 'x', actor: 'ana', plan }, [lines])
    await vault.write('beginStart', { replay, now: noon })
    await takeInSteps({ vault, clock }, replay)
    await vault.write('advanceReplay', { replay, now: noon, outcomes: [], most: 2, name: 'claim' })
    const state = async () => {
      const shown = await Promise.all(ids.map((id) => vault.read('showLetter', { id })))
      return Object.fromEntries(shown.map((letter, n) => [groups[n], letter.state]))
    }
    return { replay, state }
  }
  const of = (group: string): Message => deadLetter({ n: 1, headers: [[names.originGroup, group]] })
  const returned = (group: string, replay: number): Message =>
    deadLetter({ n: 1, headers: [[names.originGroup, group]], replay, generation: 1 })

  test.each(groups)('the success of %s is its own', async (group) => {
    const vault = emptyVault()
    const { replay, state } = await sentToBoth(vault)
    await ledgerAfter(vault, replay, [success(replay, { group })])
    expect(await state()).toEqual({ billing: 'replaying', mail: 'replaying', [group]: 'succeeded' })
  })

  test.each(groups)('the return of %s is its own, however often it is delivered', async (group) => {
    const vault = emptyVault()
    const { replay, state } = await sentToBoth(vault)
    const source = await sourceIn(vault)
    for (const _ of [1, 2]) await keep(vault, source, [returned(group, replay)])
    expect(await state()).toEqual({ billing: 'replaying', mail: 'replaying', [group]: 'returned' })
  })
})

/** What must change nothing: each is a report that no honest consumer of `orders` sends about its replay. */
const foreign: readonly (readonly [about: string, changes: Partial<ReportedSuccess>, scopes: string[][]])[] = [
  ['of a letter that is in no ledger', { letter: 'letter-99' }, everywhere],
  ['of a replay that there is not', { replay: 99 }, everywhere],
  ['from another channel than it was sent to', { channel: 'invoices' }, everywhere],
  ['from another group than it was sent to', { group: 'reports' }, everywhere],
  ['of whoever was given another channel', {}, [['shop/invoices']]],
  ['of whoever was given another broker', {}, [['*'], ['other/orders']]],
  ['with a pattern for a letter', { letter: '%' }, everywhere],
]

async function afterForeign(changes: Partial<ReportedSuccess>, scopes = everywhere, tampered = (told: ReportedSuccess) => told) {
  const vault = emptyVault()
  const { replay } = await sentReplay(vault, 1, { ...orders, group: 'shop' })
  const told = tampered(success(replay, { group: 'shop', ...changes }))
  return { ledger: await ledgerAfter(vault, replay, [told], scopes), tally: await vault.read('listSources', undefined) }
}

describe('a report that is forged, or of somebody else,', () => {
  const unchanged = { ledger: { sent: 1, succeeded: 0 }, tally: [{ letters: { sent: 1 } }] }

  test.each(foreign)('%s changes nothing', async (_, changes, scopes) => {
    expect(await afterForeign(changes, scopes)).toMatchObject(unchanged)
  })

  test('would be seen to change something, if nobody asked where it was consumed', async () => {
    const believed = (told: ReportedSuccess): ReportedSuccess => ({ ...told, channel: 'orders', group: 'shop' })
    const trusting = await afterForeign({ channel: 'invoices', group: 'reports' }, everywhere, believed)
    expect(trusting).not.toMatchObject(unchanged)
  })
})

describe('of a consumer', () => {
  const kept = (vault: Vault, changes: Parameters<typeof report>[0], now = noon) =>
    vault.write('keepReport', { report: report(changes), scopes: everywhere, now })
  const listed = async (vault: Vault) => (await vault.read('listConsumers', undefined)).consumers

  test('the newest report counts, whichever comes last', async () => {
    const vault = emptyVault()
    await kept(vault, { number: 2, channels: [channelReport({ state: 'paused' })] })
    expect(await kept(vault, { number: 1 }, noon + 1)).toMatchObject({ isNews: false })
    expect(await listed(vault)).toMatchObject([{ lastAt: noon, channels: [{ state: 'paused' }] }])
  })

  test('that was started anew, its first report counts', async () => {
    const vault = emptyVault()
    await kept(vault, { number: 900 })
    await kept(vault, { run: 'run-2', number: 1, version: '1.5.0' }, noon + 1)
    expect(await listed(vault)).toMatchObject([{ version: '1.5.0', since: noon + 1 }])
  })

  test('it is news when it comes, changes, leaves or is heard of again, and none that it goes on', async () => {
    const vault = emptyVault()
    const paused = [channelReport({ state: 'paused' })]
    const told = [
      await kept(vault, { number: 1 }),
      await kept(vault, { number: 2 }, noon + 5000),
      await kept(vault, { number: 3, channels: paused }, noon + 10_000),
      await kept(vault, { number: 4, channels: paused }, noon + 60_000),
      await kept(vault, { number: 5, channels: paused, isLast: true }, noon + 61_000),
    ]
    expect(told.map(({ isNews }) => isNews)).toEqual([true, false, true, true, true])
  })

  test('what stopped is forgotten after a day and what vanished after thirty, but never what has letters on its disk', async () => {
    const vault = emptyVault()
    const day = 86_400_000
    await kept(vault, { instance: 'stopped', isLast: true })
    await kept(vault, { instance: 'vanished' })
    await kept(vault, { instance: 'spooled', channels: [channelReport({ spooled: 3 })] })
    const namesAfter = async (days: number): Promise<readonly string[]> => {
      await kept(vault, { instance: 'present', run: `run-${days}` }, noon + days * day)
      return (await listed(vault)).map(({ instance }) => instance)
    }
    expect(await namesAfter(0.9)).toEqual(['present', 'spooled', 'stopped', 'vanished'])
    expect(await namesAfter(1.1)).toEqual(['present', 'spooled', 'vanished'])
    expect(await namesAfter(400)).toEqual(['present', 'spooled'])
  })

  test('whoever was given less than who reported it last is refused, and nothing of what they say is kept', async () => {
    const vault = emptyVault()
    const { replay } = await sentReplay(vault)
    const of = (scopes: readonly (readonly string[])[], changes: Parameters<typeof report>[0]) =>
      vault.write('keepReport', { report: report(changes), scopes, now: noon })
    await of([['*'], ['shop/*']], { version: '1' })
    const forged = { run: 'run-2', version: '2', isLast: true, channels: [], succeeded: [success(replay)] }
    await expect(of([['*'], ['shop/orders']], forged)).rejects.toMatchObject({ code: 'not-allowed' })
    expect(await listed(vault)).toMatchObject([{ version: '1', isStopped: false, channels: [{ name: 'orders' }] }])
    expect(await vault.read('countLedger', { replay })).toMatchObject({ sent: 1, succeeded: 0 })
    await of([['shop/*', 'bank/*']], { run: 'run-3', version: '3', isLast: true, channels: [channelReport({ spooled: 1 })] })
    await expect(of([['shop/*']], { run: 'run-4' })).rejects.toMatchObject({ code: 'not-allowed' })
    await of([['*']], { run: 'run-5', isLast: true })
    // It has stopped, and left nothing behind.
    await of([['shop/*']], { run: 'run-6', version: '6' })
    expect(await listed(vault)).toMatchObject([{ version: '6', scopes: [['shop/*']] }])
  })

  test('what code of before has written belongs to whoever reports it next', async () => {
    const vault = memoryVault()
    onTestFinished(() => vault.close())
    await kept(vault, {})
    await vault.perform((sql) => sql.run('UPDATE consumers SET scopes = NULL'))
    expect((await listed(vault))[0]).not.toHaveProperty('scopes')
    const told = { report: report({ number: 2 }), scopes: [['shop/*']], now: noon }
    expect(await vault.write('keepReport', told)).toMatchObject({ isNews: false })
    expect(await listed(vault)).toMatchObject([{ scopes: [['shop/*']] }])
  })

  test('numbers that only a liar reports are kept as well', async () => {
    const vault = emptyVault()
    const most = Number.MAX_SAFE_INTEGER
    await kept(vault, {
      channels: Array.from({ length: 3 }, () => channelReport({ spooled: most, spoolAside: most })),
      forgotten: most,
    })
    expect(await listed(vault)).toMatchObject([{ spooled: most }])
  })
})

describeFiles('a file', () => {
  test('a vault of the version before gets the tables for consumers, and keeps what it had', { timeout: 120_000 }, async () => {
    const file = join(temporaryFolder(), 'old.db')
    const old = new DatabaseSync(file)
    const [first = '', second = ''] = vaultSchema.versions
    old.exec(
      `${first};${second}; PRAGMA application_id = ${vaultSchema.applicationId}; PRAGMA user_version = 2; PRAGMA journal_mode = WAL`,
    )
    old.exec("INSERT INTO users (name, role, sources, reveal, made_at) VALUES ('ana', 'admin', '[\"*\"]', 0, 1)")
    old.close()
    const vault = openVault(file)
    await vault.write('keepReport', { report: report(), scopes: everywhere, now: noon })
    expect((await vault.read('listConsumers', undefined)).consumers).toMatchObject([{ service: 'shop' }])
    expect(await vault.read('listUsers', undefined)).toMatchObject([{ name: 'ana' }])
  })
})

test('whoever watches hears of what was just dead-lettered, some ids of many', async () => {
  const vault = emptyVault()
  const plane = planeOn(vault, virtualClock())
  onTestFinished(() => plane.close())
  const heard: Change[] = []
  plane.onChange((change) => void heard.push(change))
  const deadLettered = Array.from({ length: 100 }, (_, n) => ({ channel: 'orders', correlationId: `c-${n}` }))
  await plane.consumers.report(report({ deadLettered }), everywhere)
  expect(heard).toEqual([
    { kind: 'consumer', service: 'shop' },
    { kind: 'dead-lettered', service: 'shop', letters: deadLettered.slice(0, 20), total: 100 },
  ])
})
