import { hash } from 'node:crypto'
import type { Operation, Sql } from '../sql.ts'
import { endSessionsOf, type Grant, isSameGrant, type User, type UserRow, userById, userOf } from './accounts.ts'

export interface PersonOfIssuer extends Grant {
  readonly issuer: string
  /** What the issuer calls them, for ever and nobody else. */
  readonly subject: string
  /** What they would like to be called; only looked at when they come for the first time. */
  readonly name: string
  readonly now: number
}

/**
 * Somebody whom an issuer knows comes in, with what their groups give them today. Whoever was signed in as them with other rights is signed out.
 * Who is disabled here stays as they are.
 */
export const enterFromIssuer: Operation<PersonOfIssuer, User> = async (sql, person) => {
  const known = await find(sql, person)
  if (!known) return make(sql, person)
  const before = userOf(known)
  if (before.disabled) return before
  await sql.run('UPDATE users SET signed_in_at = ? WHERE id = ?', person.now, before.id)
  if (isSameGrant(before, person)) return before
  await sql.run(
    'UPDATE users SET role = ?, sources = ?, reveal = ?, version = version + 1 WHERE id = ?',
    person.role,
    JSON.stringify(person.sources),
    Number(person.reveal),
    before.id,
  )
  await endSessionsOf(sql, before.id)
  return userById(sql, before.id)
}

/**
 * The issuer knows somebody, and nothing of what they are gives them anything here any more: sessions end, and tokens rest until they sign in again. Tells
 * their name, where they have been here before.
 */
export const keepOutFromIssuer: Operation<
  Pick<PersonOfIssuer, 'issuer' | 'subject'>,
  { readonly name: string } | undefined
> = async (sql, person) => {
  const known = await find(sql, person)
  if (!known) return undefined
  await sql.run('UPDATE users SET signed_in_at = NULL WHERE id = ?', known.id)
  await endSessionsOf(sql, known.id)
  return { name: known.name }
}

function find(sql: Sql, { issuer, subject }: Pick<PersonOfIssuer, 'issuer' | 'subject'>): Promise<UserRow | undefined> {
  return sql.get<UserRow>('SELECT * FROM users WHERE issuer = ? AND subject = ?', issuer, subject)
}

async function make(sql: Sql, person: PersonOfIssuer): Promise<User> {
  const { issuer, subject, role, sources, reveal, now } = person
  const row = await sql.get<{ id: number }>(
    `INSERT INTO users (name, role, sources, reveal, made_at, issuer, subject, signed_in_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    await freeName(sql, person),
    role,
    JSON.stringify(sources),
    Number(reveal),
    now,
    issuer,
    subject,
    now,
  )
  if (!row) throw new Error('The person could not be written.')
  return userById(sql, row.id)
}

/**
 * No name of our own users has a colon, so that nobody becomes one of them, now or later, by what they call themselves. Of two people who call themselves the
 * same, the second one is told apart by who they are.
 */
async function freeName(sql: Sql, { issuer, subject, name }: PersonOfIssuer): Promise<string> {
  const wanted = `oidc:${name}`
  if (!(await sql.get<object>('SELECT 1 FROM users WHERE name = ?', wanted))) return wanted
  return `${wanted}~${hash('sha256', JSON.stringify([issuer, subject])).slice(0, 12)}`
}
