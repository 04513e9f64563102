import fc from 'fast-check'
import { expect, test } from 'vitest'
import { letterStates } from '../../src/core/letter-states.ts'
import { unresolvedStates } from '../../src/vault/letter-states.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'

type Step =
  | { readonly do: 'ingest'; readonly from: number; readonly count: number }
  | {
      readonly do: 'discard' | 'restore' | 'purge' | 'erase' | 'replay' | 'cancel' | 'assume' | 'return'
      readonly letter: number
    }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('ingest' as const), from: fc.nat(30), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({
    do: fc.constantFrom('discard', 'restore', 'purge', 'erase', 'replay', 'cancel', 'assume', 'return'),
    letter: fc.integer({ min: 1, max: 30 }),
  }),
)

const plan = { rate: 1000, canary: null, observe: 1000 }
const destination = { connection: 'shop', channel: 'orders' }

async function play(vault: Vault, source: number, { do: verb, ...given }: Step): Promise<void> {
  if ('from' in given) {
    const numbers = Array.from({ length: given.count }, (_, n) => given.from + n)
    await keep(
      vault,
      source,
      numbers.map((n) => deadLetter({ n, type: n % 2 === 0 ? 'Error' : 'TypeError' })),
    )
    return
  }
  const letters = [given.letter]
  if (verb === 'discard') await vault.write('discardLetters', { letters, now: noon })
  if (verb === 'restore') await vault.write('restoreLetters', { letters, now: noon })
  if (verb === 'purge') await vault.write('purgeLetters', { letters, rememberUntil: noon * 2 })
  if (verb === 'erase') await vault.write('eraseLetter', { id: given.letter, now: noon })
  if (verb === 'replay') await replay(vault, given.letter)
  if (verb === 'cancel') await vault.write('cancelReplay', { replay: given.letter, now: noon })
  if (verb === 'assume') await vault.write('assumeSuccess', { replay: given.letter, destination, sentBefore: noon, now: noon })
  if (verb === 'return') await vault.write('doubtClaims', { replay: given.letter, now: noon })
}

async function replay(vault: Vault, letter: number): Promise<void> {
  const letters = [{ letter, destination }]
  const { id } = await vault.write('sealReplay', { name: 'x', actor: 'ana', now: noon, plan, letters })
  await vault.write('startReplay', { replay: id, now: noon })
  const claimed = await vault.write('claimLetters', { replay: id, most: 1, now: noon, names: [`name-${id}`] })
  const outcomes = claimed.map(({ seq, letter: sent }) => ({ seq, letter: sent, outcome: 'sent' as const }))
  if (letter % 3 > 0) await vault.write('recordSends', { replay: id, now: noon, outcomes })
}

test('deliveries that were not known = letters kept = the sum over all states, whatever is done to them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const vault = memoryVault()
      const source = await sourceIn(vault)
      for (const each of steps) await play(vault, source, each).catch(onlyRefusals)
      const [counted] = await vault.read('listSources', undefined)
      const states: Record<string, number> = { ...counted?.letters }
      expect(counted?.inserted).toBe((counted?.deliveries ?? 0) - (counted?.deduplicated ?? 0))
      expect(Object.values(states).reduce((sum, letters) => sum + letters, 0)).toBe(counted?.inserted)
      const letters = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 1000 })
      for (const state of letterStates) {
        expect(states[state] ?? 0, state).toBe(letters.filter((letter) => letter.state === state).length)
      }
      for (const cause of await vault.read('listCauses', { limit: 100 })) {
        const own = letters.filter((letter) => letter.cause === cause.id && unresolvedStates.has(letter.state))
        expect(cause.unresolved, cause.title).toBe(own.length)
      }
      await ledgersAgree(vault)
      await vault.close()
    }),
    { numRuns: 200 },
  )
})

/** What is counted beside a ledger is what stands in it. */
async function ledgersAgree(vault: Vault): Promise<void> {
  for (const { id } of await vault.read('listReplays', { limit: 100 })) {
    const lines = await vault.read('readLedger', { replay: id, after: -1, limit: 1000 })
    for (const [state, letters] of Object.entries(await vault.read('countLedger', { replay: id }))) {
      expect(letters, `${state} of replay ${id}`).toBe(lines.filter((line) => line.state === state).length)
    }
  }
}

function onlyRefusals(error: unknown): void {
  const code = (error as { code?: string }).code ?? ''
  if (!['not-found', 'conflict', 'nothing-to-do'].includes(code)) throw error
}
