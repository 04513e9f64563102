import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { lettersIn } from '../../src/ops/letters.ts'
import { sealInSteps, takeInSteps } from '../../src/ops/replay/in-steps.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { arrival, deadLetter, keep, noon, openVault, sourceIn, temporaryFolder } from './letters.fixture.ts'

/** Hundreds of letters on a real disk, which a busy machine is slow at. */
vi.setConfig({ testTimeout: 120_000 })

const marker = 'quintessa4711'
const by = { actor: 'ana' }

/** Whatever the database left on the disk: the file, its log, and what is in no table any more. */
function bytesIn(folder: string): string {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
  return files.join('\n').toLowerCase()
}

/** Many letters, of which one names somebody in its body, a header and its error; the words of them are in many parts of the index. */
async function patients(folder: string): Promise<{ readonly vault: Vault; readonly letter: number }> {
  const vault = sqliteVault({ file: join(folder, 'vault.db') })
  const source = await sourceIn(vault)
  const named = (name: string, n: number) =>
    deadLetter({
      n,
      error: `no such patient ${name}`,
      headers: [['x-patient', name]],
      body: JSON.stringify({ name, scan: 'x'.repeat(n * 50) }),
    })
  const letters: number[] = []
  for (let batch = 0; batch < 20; batch++) {
    const numbers = Array.from({ length: 20 }, (_, index) => batch * 20 + index)
    letters.push(
      ...(await keep(
        vault,
        source,
        numbers.map((n) => named(n === 100 ? marker : `patient${n}`, n)),
      )),
    )
  }
  expect(bytesIn(folder)).toContain(marker)
  return { vault, letter: letters[100] ?? 0 }
}

test.each(['erase', 'purge'] as const)(
  'case 52: what somebody tells it to %s is gone from the file, its log and the index of words',
  async (verb) => {
    const folder = temporaryFolder()
    const { vault, letter } = await patients(folder)
    const letters = lettersIn(vault, virtualClock({ start: noon }), () => {})
    if (verb === 'erase') await letters.erase(letter, by)
    else await letters.purge({ letters: [letter] }, by)
    const found = await letters.find({ filter: 'header.x-patient:patient99', limit: 10 })
    expect(found.letters).toHaveLength(1)
    await vault.close()
    expect(bytesIn(folder)).not.toContain(marker)
    expect(bytesIn(folder)).toContain('patient99')
  },
)

test('planted bug: words that are only marked as deleted are found in the file', async () => {
  const folder = temporaryFolder()
  const { vault, letter } = await patients(folder)
  await vault.write('eraseLetter', { id: letter, now: noon })
  await vault.close()
  expect(bytesIn(folder)).toContain(marker)
})

test('what came back from replays is erased with what it was before, and with a reason that says what the error said', async () => {
  const vault = openVault()
  const source = await sourceIn(vault)
  const [first = 0] = await keep(vault, source, [deadLetter({ n: 1 })])
  const orders = { connection: 'shop', channel: 'orders' }
  const plan = { rate: 1000, canary: null, observe: 1000 }
  const clock = virtualClock({ start: noon })
  const replay = await sealInSteps({ vault, clock }, { name: 'x', actor: 'ana', plan }, [
    [{ letter: first, destination: orders }],
  ])
  await vault.write('beginStart', { replay, now: noon })
  await takeInSteps({ vault, clock }, replay)
  await vault.write('advanceReplay', { replay, now: noon, outcomes: [], most: 1, name: 'claim' })
  const returned = arrival(deadLetter({ n: 1, replay, generation: 1 }))
  const sayingLittle = { ...returned, reason: `declined ${marker}`, errorMessage: `declined ${marker}` }
  const { letters } = await vault.write('ingest', { source, now: noon, arrivals: [sayingLittle] })
  await vault.write('eraseLetter', { id: letters[0]?.id ?? 0, now: noon })
  const all = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 10 })
  expect(all.map(({ state, bytes, reason }) => [state, bytes, reason])).toEqual([
    ['discarded', 0, null],
    ['returned', 0, 'NonRetryableError'],
  ])
})
