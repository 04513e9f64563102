import { Buffer } from 'node:buffer'
import { type BodyChecks, judgeBody, type SchemaMistake, type SchemaVerdict } from '../core/body-check.ts'
import { decodeMessage, encodeEnvelope, parseEnvelope } from '../core/envelope.ts'
import { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { present } from '../core/present.ts'
import { conditionOf } from '../vault/filter-condition.ts'
import type { NamedSource } from '../vault/operations/sources.ts'
import type { Vault } from '../vault/vault.ts'
import type { Counted, Letters, Selection } from './control-plane.ts'
import { exportLettersFrom, importLettersInto } from './exchange.ts'
import { failedRunsOf } from './failed-runs-of.ts'
import { remembered } from './retention.ts'
import { lettersOf } from './selection.ts'
import { shredWords } from './shred-words.ts'

const longestNote = 10_000

export function lettersIn(
  vault: Vault,
  clock: Clock,
  changed: (letters: number) => void,
  schemasOf: (source: NamedSource) => BodyChecks | undefined = () => undefined,
): Letters {
  /** A page at a time: a million letters are many short transactions, between which everybody else has a turn. */
  async function each(selection: Selection, act: (letters: readonly number[]) => Promise<Counted>): Promise<Counted> {
    let letters = 0
    for await (const found of lettersOf(selection, vault, clock)) letters += (await act(found.map(({ id }) => id))).letters
    if (letters > 0) changed(letters)
    return { letters }
  }

  async function judged(id: number, type: string | undefined, body: Uint8Array | null): Promise<SchemaVerdict> {
    const { source } = await vault.read('showLetter', { id })
    return judgeBody(schemasOf(await vault.read('showSource', { id: source })), type, body)
  }

  return {
    async find({ filter = '', limit, ...where }) {
      const condition = conditionOf(filter, clock.now())
      const letters = await vault.read('findLetters', { condition, limit: limit + 1, ...where })
      const shown = letters.slice(0, limit)
      const last = shown.at(-1)
      return { letters: shown, ...(letters.length > limit && last && { next: last.id }) }
    },
    async show(id) {
      const letter = await vault.read('showLetter', { id })
      const [source, cause, notes, edits, replays] = await Promise.all([
        vault.read('showSource', { id: letter.source }),
        vault.read('showCause', { id: letter.cause }),
        vault.read('listNotes', { about: 'letter', subject: id }),
        vault.read('listEdits', { letter: id }),
        vault.read('replaysOfLetter', { letter: id }),
      ])
      return { letter, source, cause, notes, edits, replays }
    },
    failedRuns: async (id) => failedRunsOf(vault, await vault.read('showLetter', { id })),
    async content(id) {
      const { envelope, body } = await vault.read('readContent', { id })
      return decodeMessage(parseEnvelope(envelope), body)
    },
    async checkBody(id, body) {
      const { type } = await vault.read('showLetter', { id })
      return judged(id, type ?? undefined, body)
    },
    async edit(id, { actor, body, headers, seen }) {
      const { envelope, body: original } = await vault.read('readContent', { id })
      const message = decodeMessage(parseEnvelope(envelope), original)
      const edited = { ...message, ...(headers && { headers }) }
      if (body !== undefined && !isSame(body, original)) refuse((await judged(id, message.type, body)).mistakes)
      return vault.write('addEdit', {
        letter: id,
        now: clock.now(),
        actor,
        envelope: encodeEnvelope(edited),
        body: body === undefined ? original : body,
        ...present({ seen }),
      })
    },
    async newestEdits(letters) {
      const found = await vault.read('newestEdits', { letters })
      return new Map(found.map(({ letter, edit }) => [letter, edit]))
    },
    discard: (selection) => each(selection, (letters) => vault.write('discardLetters', { letters, now: clock.now() })),
    restore: (selection) => each(selection, (letters) => vault.write('restoreLetters', { letters, now: clock.now() })),
    async purge(selection) {
      const rememberUntil = clock.now() + remembered
      const purged = await each(selection, (letters) => vault.write('purgeLetters', { letters, rememberUntil, shred: true }))
      await shredWords(vault)
      return purged
    },
    async erase(id) {
      await vault.write('eraseLetter', { id, now: clock.now() })
      await shredWords(vault)
      changed(1)
    },
    async note(id, text, { actor }) {
      await vault.read('showLetter', { id })
      await vault.write('addNote', { about: 'letter', subject: id, now: clock.now(), actor, text: checkedNote(text) })
    },
    export: (query) => exportLettersFrom(vault, clock, query),
    async import(letters) {
      const counted = await importLettersInto(vault, clock, letters)
      if (counted.letters > 0) changed(counted.letters)
      return counted
    },
  }
}

function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0
}

const mostTold = 10

/** In words of the schema alone: where it is broken may be named by what only the payload holds. */
function refuse(mistakes: readonly SchemaMistake[]): void {
  if (mistakes.length === 0) return
  const told = mistakes.slice(0, mostTold).map(({ rule, text }) => `${rule} ${text}`)
  const rest = mistakes.length > mostTold ? `; and ${mistakes.length - mostTold} more` : ''
  throw new RedriveError('breaks-schema', `The body is not as its schema wants it: ${told.join('; ')}${rest}. Nothing was kept.`)
}

export function checkedNote(text: string): string {
  if (text.trim() === '') throw new RedriveError('bad-option', 'A note needs a text.')
  if (text.length > longestNote) throw new RedriveError('bad-option', `A note has at most ${longestNote} characters.`)
  return text
}
