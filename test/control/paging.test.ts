import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FilterableLetter, matches } from '../../src/core/filter/matches-filter.ts'
import { parseFilter } from '../../src/core/filter/parse-filter.ts'
import type { Header } from '../../src/core/message.ts'
import { conditionOf } from '../../src/vault/filter-condition.ts'
import { blockSize } from '../../src/vault/letter-blocks.ts'
import { findLetters } from '../../src/vault/operations/find-letters.ts'
import { vaultSchema } from '../../src/vault/schema.ts'
import { sqliteSql } from '../../src/vault/sqlite/sqlite-sql.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { byPlace, describeFiles, runs } from './vaults-under-test.ts'

const minute = 60_000
const total = 3 * blockSize + 100

/** Three blocks and a bit: a source that comes late with letters of long ago, a state that is rare, a header that most have. */
async function filled(): Promise<{ readonly vault: Vault; readonly letters: readonly FilterableLetter[] }> {
  const vault = memoryVault()
  const [orders, refunds] = [await sourceIn(vault), await sourceIn(vault, 'dlq.refunds', 'bank')]
  const isLate = (n: number) => n >= 2 * blockSize && n < 2 * blockSize + 700
  for (let start = 0; start < total; start += 100) {
    const numbers = Array.from({ length: Math.min(100, total - start) }, (_, index) => start + index)
    for (const [source, chosen] of Map.groupBy(numbers, (n) => (isLate(n) ? refunds : orders))) {
      await keep(
        vault,
        source,
        chosen.map((n) => described(n, isLate(n))),
      )
    }
  }
  await vault.write('discardLetters', { letters: [5, 1500, 2900], now: noon })
  const causes = new Map((await vault.read('listCauses', { limit: 100 })).map(({ id, fingerprint }) => [id, fingerprint]))
  const all = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: total })
  const letters = all.map(({ id, state, source, cause, channel, failedAt, receivedAt, dialect, bytes, letter }) => ({
    id: String(id),
    state,
    source: source === orders ? 'dlq.orders' : 'dlq.refunds',
    connection: source === orders ? 'shop' : 'bank',
    channel,
    dialect,
    cause: causes.get(cause) ?? '',
    replays: [],
    size: bytes,
    failed: failedAt,
    received: receivedAt,
    headers: headersOf(Number(letter?.slice('letter-'.length))),
    hasNote: false,
    texts: [],
  }))
  return { vault, letters }
}

function headersOf(n: number): Header[] {
  return n % 7 === 0 ? [] : [['tenant', `tenant-${n % 3}`]]
}

function described(n: number, isLate: boolean): ReturnType<typeof deadLetter> {
  return deadLetter({
    n,
    error: `cause ${'abcd'[n % 4]}`,
    type: `Error${'ABCD'[n % 4]}`,
    channel: `orders.${n % 5}`,
    failedAt: isLate ? noon - 10_000 * minute - n : noon - (total - n) * minute,
    headers: headersOf(n),
  })
}

const terms = [
  'state:open',
  'state:discarded',
  'state:discarded,open',
  'source:dlq.refunds',
  'source:dlq.*',
  'connection:bank',
  'channel:orders.3',
  'channel:orders.3,orders.1,orders.3',
  'channel:*.4',
  'age>10000m',
  'age<=30m',
  `failed<${new Date(noon - 3000 * minute).toISOString()}`,
  `failed>=${new Date(noon - 1200 * minute).toISOString()}`,
  'header.tenant:tenant-2',
  'header.tenant:tenant-*',
  'header.tenant:*',
  'header.tenant:tenant-0,tenant-1',
]

describe('pages of any size', () => {
  test('hold what each term alone says, and as many are counted', async () => {
    const { vault, letters } = await filled()
    for (const filter of terms) {
      const expected = expectedOf(filter, letters)
      expect(await inPages(vault, filter, 1000), filter).toEqual(expected)
      const counted = await vault.read('countLetters', { condition: conditionOf(filter, noon), most: total })
      expect(counted, filter).toEqual({ letters: expected.length })
    }
  }, 120_000)

  test('hold what the language says, each letter once, the newest first', async () => {
    const { vault, letters } = await filled()
    const causes = [...new Set(letters.map(({ cause }) => `cause:${cause}`))]
    const anyTerm = fc.constantFrom(...terms, ...causes, 'cause:v1')
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyTerm, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: byPlace(40, 400), max: 2000 }),
        async (chosen, limit) => {
          const filter = chosen.join(' ')
          expect(await inPages(vault, filter, limit)).toEqual(expectedOf(filter, letters))
        },
      ),
      runs(150, 8),
    )
  }, 120_000)
})

/** By the language itself, without a database. */
function expectedOf(filter: string, letters: readonly FilterableLetter[]): readonly number[] {
  const parsed = parseFilter(filter)
  return letters.filter((letter) => matches(parsed, letter, noon)).map(({ id }) => Number(id))
}

async function inPages(vault: Vault, filter: string, limit: number): Promise<readonly number[]> {
  const ids: number[] = []
  for (let before: number | undefined; ; before = ids.at(-1)) {
    const query = { condition: conditionOf(filter, noon), limit, ...(before !== undefined && { before }) }
    const page = await vault.read('findLetters', query)
    // Else it would go round and round for ever.
    if (before !== undefined && (page[0]?.id ?? 0) >= before)
      expect.unreachable(`${page[0]?.id} comes behind ${before}: ${filter}`)
    ids.push(...page.map(({ id }) => id))
    if (page.length < limit) return ids
  }
}

describeFiles('in SQLite', () => {
  test.each([
    ['state:open', 'letters_by_state'],
    ['state:open,unknown', 'letters_by_state'],
    ['state:open source:dlq.* age>1h', 'letters_by_state'],
    ['channel:orders state:open', 'letters_by_channel'],
    ['correlation:c-1 state:open', 'letters_by_correlation'],
    ['correlation:c-1 "card declined"', 'letters_by_correlation'],
    ['key:k', 'letters_by_key'],
    ['message:m', 'letters_by_message'],
    ['letter:l', 'letters_by_letter'],
    ['cause:3f2a', 'letters_by_cause'],
    ['cause:3f2a state:open', 'letters_by_cause'],
    ['owner:ana', 'letters_by_cause'],
    ['under:1', 'letters_by_cause'],
    ['under:1 state:open', 'letters_by_cause'],
    ['"card declined" state:open', 'letter_text VIRTUAL TABLE'],
    ['header.tenant:acme state:open age>1h', 'letter_text VIRTUAL TABLE'],
    ['source:dlq.orders', 'INTEGER PRIMARY KEY'],
    ['failed<2026-01-01', 'INTEGER PRIMARY KEY'],
    ['error:Timeout* version:1.*', 'INTEGER PRIMARY KEY'],
  ])('%s is led by %s, and nothing is sorted', async (filter, leader) => {
    const plans = await plansOf(filter)
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      expect(plan[0]).toContain(leader)
      expect(plan.join('\n')).not.toContain('TEMP B-TREE')
    }
  })
})

/** How SQLite goes about each statement that asks for letters. */
async function plansOf(filter: string): Promise<readonly (readonly string[])[]> {
  const db = new DatabaseSync(':memory:')
  db.exec(vaultSchema.versions.join(';'))
  db.exec(`INSERT INTO causes (fingerprint, title, parts, state, state_since, owner, first_at, last_at)
    VALUES ('v1:3f2a', '', '{}', 'open', 0, 'ana', 0, 0);
    INSERT INTO sources (connection, channel, part) VALUES ('shop', 'dlq.orders', '');
    INSERT INTO letter_blocks VALUES (0, 1, 0, 1)`)
  const sql = sqliteSql(db)
  const plans: (readonly string[])[] = []
  await findLetters(
    {
      ...sql,
      all: async (text, ...values) => {
        const rows = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as unknown as { detail: string }[]
        if (text.includes('letters.id >=') || text.includes('letter_text.rowid >=')) plans.push(rows.map(({ detail }) => detail))
        return sql.all(text, ...values)
      },
    },
    { condition: conditionOf(filter, noon), limit: 10 },
  )
  return plans
}
