import { DatabaseSync } from 'node:sqlite'
import { copiedTables } from '../../src/vault/copy/copied-tables.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, sourceIn } from './letters.fixture.ts'

/** What a database of another kind might hold differently: no character, half a pair, a character for programs, another order of texts. */
const oddText = 'nul \u0000 stand-in \uFDD0\uFDD1 é 😀 Ωmega'

const entry = { at: noon, actor: 'ana', address: '::1', action: 'look', object: oddText, detail: '{}', result: 'done' } as const

/** Letters of two sources, of which some were changed, put away, purged and erased; words of bodies; people; a replay; a trail. */
export async function fill(vault: Vault, letters = 40): Promise<void> {
  const [orders, refunds] = [await sourceIn(vault), await sourceIn(vault, `dlq.refunds ${oddText}`)]
  await vault.write('searchBodiesOf', { sources: [orders] })
  const messages = Array.from({ length: letters }, (_, n) =>
    deadLetter({
      ...{ n, error: `cause ${n % 5}`, key: n % 3 === 0 ? oddText : `key-${n}`, correlation: `order-${n}` },
      headers: [['tenant', n % 2 === 0 ? 'acme' : oddText]],
      body: JSON.stringify({ order: n, note: `ring ${n % 7 === 0 ? 'twice' : 'once'}`, filler: 'x'.repeat(n * 10) }),
    }),
  )
  await keep(vault, refunds, [deadLetter({ n: 1, body: oddText }), { body: null, headers: [] }])
  const ids = await keep(vault, orders, messages)
  while (!(await vault.write('indexBodies', { most: 100 })).done);
  const [first = 0, second = 0, third = 0, ...others] = ids
  await vault.write('addNote', { about: 'letter', subject: first, now: noon, actor: 'bo', text: oddText })
  await vault.write('addEdit', { letter: first, now: noon, actor: 'bo', envelope: '[]', body: Buffer.from([0, 255, 1]) })
  await vault.write('discardLetters', { letters: [second], now: noon })
  await vault.write('eraseLetter', { id: third, now: noon })
  // The last ones, so that numbers are known that no row has any more.
  await vault.write('discardLetters', { letters: others.slice(-3), now: noon })
  await vault.write('purgeLetters', { letters: others.slice(-3), rememberUntil: noon + 1000 })
  for (let row = 0; row < 5; row++) await vault.write('appendAudit', entry)
  const grant = { role: 'admin', sources: ['*'], reveal: true, now: noon }
  await vault.write('createUser', { name: 'ana', ...grant })
  await vault.write('enterFromIssuer', { issuer: 'https://login.example', subject: '7', name: 'ben', ...grant })
}

/** A file in which no table is empty: where nothing of the above comes to, rows are made of what the schema says about their columns. */
export async function filledFile(file: string, letters?: number): Promise<string> {
  const vault = sqliteVault({ file })
  await fill(vault, letters).finally(() => vault.close())
  const db = new DatabaseSync(file)
  for (const { name, columns } of copiedTables()) {
    if (db.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get()) continue
    const types = db.prepare('SELECT name, type FROM pragma_table_xinfo(?)').all(name)
    const typeOf = new Map(types.map(({ name: column, type }) => [column, type]))
    const values = columns.map((column) => made(typeOf.get(column), `${name} ${column}`))
    db.prepare(`INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`).run(...values)
  }
  db.close()
  return file
}

function made(type: unknown, text: string): number | string | Uint8Array {
  if (type === 'INTEGER') return 1
  return type === 'BLOB' ? Buffer.from(text) : `${text} ${oddText}`
}
