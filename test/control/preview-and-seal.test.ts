import { describe, expect, onTestFinished, test } from 'vitest'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { wishes } from './shop.fixture.ts'

/** Three letters are previewed; while a person reads that, one is discarded and another one comes; then they are sealed. */
async function sealedAfterPreview(wrap: (vault: Vault) => Vault = (vault) => vault) {
  const vault = memoryVault()
  const clock = virtualClock({ start: noon })
  const transport = memory({ clock })
  const plane = createControlPlane({
    ...{ vault: wrap(vault), clock, newId: () => 'x', draw: (bytes: number) => new Uint8Array(bytes) },
    ...{ sources: [], transportNamed: () => transport },
  })
  onTestFinished(async () => {
    await plane.close()
    await vault.close()
  })
  const source = await sourceIn(vault)
  const [first = 0] = await keep(
    vault,
    source,
    [1, 2, 3].map((n) => deadLetter({ n })),
  )
  const selection = { filter: 'state:open' }
  const preview = await plane.replays.preview(selection, wishes)
  await plane.letters.discard({ letters: [first] }, { actor: 'ben' })
  await keep(vault, source, [deadLetter({ n: 4 })])
  const { replay } = await plane.replays.seal({ ...selection, before: preview.before }, wishes)
  const lines = await plane.replays.ledger({ replay: replay.id, after: -1, limit: 10 })
  return { previewed: preview.letters, sealed: lines.map(({ letter }) => letter - first) }
}

/** Answers a question about the same letters as it did before. */
function rememberingPlans(vault: Vault): Vault {
  const plans = new Map<string, Promise<unknown>>()
  return {
    ...vault,
    read: ((name: 'planLetters', input: never) => {
      if (name !== 'planLetters') return vault.read(name, input)
      const { limit } = input as { limit: number }
      const known = plans.get(String(limit)) ?? vault.read(name, input)
      plans.set(String(limit), known)
      return known
    }) as Vault['read'],
  }
}

describe('a replay that is sealed after its preview', () => {
  test('has the letters that were shown, without those that somebody else has dealt with meanwhile', async () => {
    expect(await sealedAfterPreview()).toEqual({ previewed: 3, sealed: [1, 2] })
  })

  test('would be seen to have those too, if the seal took over what the preview had read', async () => {
    expect((await sealedAfterPreview(rememberingPlans)).sealed).toEqual([0, 1, 2])
  })
})
