import { sideBySide } from '../side-by-side.ts'
import { listOf, type Row, type Sql, type Writer } from '../sql.ts'
import { broken, type KeyRing, type LetterKey, missing, type Subject, type WrappedKey } from './key-ring.ts'
import { sealingRing } from './known-keys.ts'

/** The content of a letter: for who may see it, and for who sends it back. */
export interface Content {
  readonly envelope: string
  readonly body: Uint8Array | null
}

/** The same as it is kept. Sealed, `envelope` is empty and `sealed` holds it; in clear it is the other way round. */
export interface KeptContent extends Content {
  readonly sealed: Uint8Array | null
  readonly vaultKey: string | null
  readonly wrapped: Uint8Array | null
}

/** Whoever reads contents or edits asks for these, and opens them here and nowhere else. */
export const keyColumns = 'letter_keys.vault_key AS "vaultKey", letter_keys.wrapped'

export function joinKeys(letter: string): string {
  return `LEFT JOIN letter_keys ON letter_keys.letter = ${letter}`
}

export function keptColumns(table: 'contents' | 'edits'): string {
  return `${table}.envelope, ${table}.body, ${table}.sealed_envelope AS sealed, ${keyColumns}`
}

const text = new TextDecoder()

/** What is sealed is opened whole, or not at all: neither a body nor an envelope stands for another one, and none for nothing. */
export function openContent(sql: Sql, subject: Subject, kept: KeptContent): Content {
  const { body } = kept
  const envelope = openEnvelope(sql, subject, { ...kept, hasBody: body !== null })
  if (kept.sealed === null || body === null) return { envelope, body }
  return { envelope, body: keyFor(sql, subject, kept).open('body', subject, body) }
}

/** Without its body, which need not be read for it. That there is one belongs to what is sealed. */
export function openEnvelope(
  sql: Sql,
  subject: Subject,
  kept: Omit<KeptContent, 'body'> & { readonly hasBody: boolean },
): string {
  const { envelope, sealed, hasBody } = kept
  if (sealed !== null) return text.decode(keyFor(sql, subject, kept).open(envelopePart(hasBody), subject, sealed))
  // Whoever took away what was sealed has left nothing, and nothing is no content.
  if (envelope === '') throw broken(subject.letter)
  return envelope
}

function keyFor({ ring }: Sql, { letter }: Subject, { vaultKey, wrapped }: Pick<KeptContent, 'vaultKey' | 'wrapped'>): LetterKey {
  if (vaultKey === null || wrapped === null) throw broken(letter)
  if (!ring) throw missing(letter, vaultKey)
  return ring.unwrap(letter, { vaultKey, wrapped })
}

function envelopePart(hasBody: boolean): string {
  return hasBody ? 'envelope' : 'envelope without a body'
}

export interface LetterContent extends Content {
  readonly letter: number
}

/** Keeps what new letters hold, each sealed with a key of its own where there is a ring: that of `sealingRing`. */
export async function keepContents(sql: Writer, ring: KeyRing | undefined, contents: readonly LetterContent[]): Promise<void> {
  const [rows, keys]: [Row[], Row[]] = [[], []]
  for (const { letter, ...content } of contents) {
    const drawn = ring?.draw(letter)
    rows.push([letter, ...columnsOf(content, { letter, edit: 0 }, drawn?.key)])
    if (drawn) keys.push(keyRow(letter, drawn.kept))
  }
  await sideBySide(sql.runEach(insertContent, rows), sql.runEach(insertKey, keys))
}

/** What an edit holds, in the row that was made for it: only then it has a number, which its seal is bound to. */
export async function keepEdit(sql: Sql, now: number, subject: Subject, content: Content): Promise<void> {
  const ring = await sealingRing(sql, now)
  const key = ring && (await keyOfLetter(sql, subject.letter))
  await sql.run(updateEdit, ...columnsOf(content, subject, key), subject.edit)
}

/** Seals what stands there in clear, with the key that the letter has or one that it gets. */
export async function sealContents(sql: Sql, contents: readonly LetterContent[]): Promise<void> {
  const rows: Row[] = []
  for (const { letter, ...content } of contents) {
    rows.push([letter, ...columnsOf(content, { letter, edit: 0 }, await keyOfLetter(sql, letter))])
  }
  const { places, values } = listOf(contents.map(({ letter }) => letter))
  await sql.run(`DELETE FROM contents WHERE letter IN ${places}`, ...values)
  await sql.runEach(insertContent, rows)
}

export async function sealEdit(sql: Sql, subject: Subject, content: Content): Promise<void> {
  await sql.run(updateEdit, ...columnsOf(content, subject, await keyOfLetter(sql, subject.letter)), subject.edit)
}

/** Of one that has none, a new one. */
async function keyOfLetter(sql: Sql, letter: number): Promise<LetterKey | undefined> {
  const kept = await sql.get<WrappedKey>(`SELECT ${keyColumns} FROM letter_keys WHERE letter = ?`, letter)
  if (kept) return sql.ring?.unwrap(letter, kept)
  const drawn = sql.ring?.draw(letter)
  if (drawn) await sql.runEach(insertKey, [keyRow(letter, drawn.kept)])
  return drawn?.key
}

function columnsOf({ envelope, body }: Content, subject: Subject, key: LetterKey | undefined): Row {
  if (!key) return [envelope, body, null]
  const sealed = key.seal(envelopePart(body !== null), subject, Buffer.from(envelope))
  return ['', body && key.seal('body', subject, body), sealed]
}

export function keyRow(letter: number, { vaultKey, wrapped }: WrappedKey): Row {
  return [letter, vaultKey, wrapped]
}

const insertContent = 'INSERT INTO contents (letter, envelope, body, sealed_envelope) VALUES (?, ?, ?, ?)'
const updateEdit = 'UPDATE edits SET envelope = ?, body = ?, sealed_envelope = ? WHERE id = ?'
export const insertKey = 'INSERT INTO letter_keys (letter, vault_key, wrapped) VALUES (?, ?, ?)'
