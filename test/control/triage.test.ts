import { describe, expect, onTestFinished, test } from 'vitest'
import { RedriveError } from '../../src/core/errors.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import type { TriageRule } from '../../src/ops/triage.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { openShop } from './shop.fixture.ts'

/** A control plane that was just started on this vault, and has asked its rules. */
async function started(vault: Vault, rules: readonly TriageRule[]): Promise<{ plane: RunningControlPlane; told: unknown[] }> {
  const clock = virtualClock({ start: noon })
  const plane = createControlPlane({
    ...{ vault, clock, triage: rules, newId: () => 'x', draw: (bytes: number) => new Uint8Array(bytes) },
    ...{ sources: [], transportNamed: () => undefined },
  })
  const told: unknown[] = []
  plane.onChange((change) => void told.push(change))
  await plane.start()
  await plane.close()
  return { plane, told }
}

const states = async (vault: Vault, letters: readonly number[]): Promise<readonly string[]> =>
  Promise.all(letters.map(async (id) => (await vault.read('showLetter', { id })).state))

describe('rules', () => {
  test('discard what a filter finds, assign its causes, and say so in the audit trail', async () => {
    const vault = memoryVault()
    const source = await sourceIn(vault)
    const clicks = await keep(
      vault,
      source,
      [1, 2].map((n) => deadLetter({ n, type: 'ClientGone', channel: 'clicks' })),
    )
    const orders = await keep(
      vault,
      source,
      [3, 4].map((n) => deadLetter({ n, type: 'CardDeclined' })),
    )
    await started(vault, [
      { name: 'noise', filter: 'error:ClientGone', discard: true },
      { name: 'cards', filter: 'error:CardDeclined', assign: 'payments' },
      { name: 'the rest', filter: 'state:open', assign: 'nobody in particular' },
    ])
    expect(await states(vault, [...clicks, ...orders])).toEqual(['discarded', 'discarded', 'open', 'open'])
    const causes = await vault.read('listCauses', { limit: 10 })
    expect(causes.map(({ title, owner }) => [title.split(':')[0], owner])).toEqual(
      expect.arrayContaining([
        ['CardDeclined', 'payments'],
        ['ClientGone', null],
      ]),
    )
    const audit = (await vault.read('listAudit', { limit: 10 })).toReversed()
    expect(audit.map(({ actor, action, result }) => `${actor}: ${action} ${result}`)).toEqual([
      'rule noise: letters.discard attempted',
      'rule noise: letters.discard done',
      'rule cards: causes.own attempted',
      'rule cards: causes.own done',
    ])
    await vault.close()
  })

  test('leave alone what a person restored, and an owner whom a person named', async () => {
    const vault = memoryVault()
    const [letter = 0] = await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })])
    await vault.write('ownCause', { id: 1, owner: 'ana' })
    const rules = [{ name: 'all', filter: 'state:open', assign: 'ben', discard: true }]
    await started(vault, rules)
    expect(await states(vault, [letter])).toEqual(['discarded'])
    await vault.write('restoreLetters', { letters: [letter], now: noon + 1 })
    await started(vault, rules)
    expect(await states(vault, [letter])).toEqual(['open'])
    expect(await vault.read('showCause', { id: 1 })).toMatchObject({ owner: 'ana' })
    await vault.close()
  })

  test('go on with the next when one cannot be answered, and tell which', async () => {
    const vault = memoryVault()
    const [letter = 0] = await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 })])
    const { told } = await started(vault, [
      { name: 'bodies', filter: 'body:"card"', discard: true },
      { name: 'all', filter: 'state:open', discard: true },
    ])
    expect(told).toContainEqual({ kind: 'problem', source: 'rule bodies', code: 'unsupported' })
    expect(await states(vault, [letter])).toEqual(['discarded'])
    await vault.close()
  })

  test('what failed is noted as that, and does not look as if the server had died', async () => {
    const real = memoryVault()
    await keep(real, await sourceIn(real), [deadLetter({ n: 1 })])
    const write = ((name: string, input: never) =>
      name === 'discardLetters' ? Promise.reject(new Error('full')) : real.write(name as never, input)) as Vault['write']
    await started({ ...real, write }, [{ name: 'all', filter: 'state:open', discard: true }])
    const rows = await real.read('listAudit', { limit: 10 })
    expect(rows.map(({ result }) => result).toReversed()).toEqual(['attempted', 'failed'])
    await real.close()
  })

  test('what cannot be noted is not done', async () => {
    const real = memoryVault()
    const [letter = 0] = await keep(real, await sourceIn(real), [deadLetter({ n: 1 })])
    const write = ((name: string, input: never) =>
      name === 'appendAudit' ? Promise.reject(new Error('full')) : real.write(name as never, input)) as Vault['write']
    await started({ ...real, write }, [{ name: 'all', filter: 'state:open', discard: true }])
    expect(await states(real, [letter])).toEqual(['open'])
    await real.close()
  })
})

test('rules are asked about letters as they come', async () => {
  const shop = await openShop({ triage: [{ name: 'declined', filter: '"card declined"', discard: true }] })
  onTestFinished(() => expect(shop.seen).toHaveLength(3))
  await shop.orders(3, 'state:discarded')
})

test('rules are asked again about letters that came while the database was away', async () => {
  let isAway = true
  const away = (vault: Vault): Vault => ({
    ...vault,
    write: ((name: string, input: never) =>
      name === 'discardLetters' && isAway
        ? Promise.reject(new RedriveError('unreachable', 'no database'))
        : vault.write(name as never, input)) as Vault['write'],
  })
  const shop = await openShop({ vault: away, triage: [{ name: 'declined', filter: '"card declined"', discard: true }] })
  await shop.orders(3)
  isAway = false
  await shop.until(async () => (await shop.plane.letters.find({ filter: 'state:discarded', limit: 10 })).letters.length === 3)
})
