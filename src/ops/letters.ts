import { decodeMessage, encodeEnvelope, parseEnvelope } from '../core/envelope.ts'
import { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { conditionOf } from '../vault/filter-condition.ts'
import type { Vault } from '../vault/vault.ts'
import type { Counted, Letters, Selection } from './control-plane.ts'
import { exportLettersFrom, importLettersInto } from './exchange.ts'
import { remembered } from './retention.ts'
import { lettersOf } from './selection.ts'

const longestNote = 10_000

export function lettersIn(vault: Vault, clock: Clock, changed: (letters: number) => void): Letters {
  /** A page at a time: a million letters are many short transactions, between which everybody else has a turn. */
  async function each(selection: Selection, act: (letters: readonly number[]) => Promise<Counted>): Promise<Counted> {
    let letters = 0
    for await (const found of lettersOf(selection, vault, clock)) letters += (await act(found.map(({ id }) => id))).letters
    if (letters > 0) changed(letters)
    return { letters }
  }

  return {
    async find({ filter = '', limit, before }) {
      const condition = conditionOf(filter, clock.now())
      const letters = await vault.read('findLetters', { condition, limit: limit + 1, ...(before !== undefined && { before }) })
      const shown = letters.slice(0, limit)
      const last = shown.at(-1)
      return { letters: shown, ...(letters.length > limit && last && { next: last.id }) }
    },
    async show(id) {
      const letter = await vault.read('showLetter', { id })
      const [sources, cause, notes, edits, replays] = await Promise.all([
        vault.read('listSources', undefined),
        vault.read('showCause', { id: letter.cause }),
        vault.read('listNotes', { about: 'letter', subject: id }),
        vault.read('listEdits', { letter: id }),
        vault.read('replaysOfLetter', { letter: id }),
      ])
      const source = sources.find((known) => known.id === letter.source)
      if (!source) throw new RedriveError('store-corrupt', `Letter ${id} is of a source that the vault does not know.`)
      return { letter, source, cause, notes, edits, replays }
    },
    async content(id) {
      const { envelope, body } = await vault.read('readContent', { id })
      return decodeMessage(parseEnvelope(envelope), body)
    },
    async edit(id, { actor, body, headers }) {
      const { envelope, body: original } = await vault.read('readContent', { id })
      const message = decodeMessage(parseEnvelope(envelope), original)
      const edited = { ...message, ...(headers && { headers }) }
      return vault.write('addEdit', {
        letter: id,
        now: clock.now(),
        actor,
        envelope: encodeEnvelope(edited),
        body: body === undefined ? original : body,
      })
    },
    async newestEdits(letters) {
      const found = await vault.read('newestEdits', { letters })
      return new Map(found.map(({ letter, edit }) => [letter, edit]))
    },
    discard: (selection) => each(selection, (letters) => vault.write('discardLetters', { letters, now: clock.now() })),
    restore: (selection) => each(selection, (letters) => vault.write('restoreLetters', { letters, now: clock.now() })),
    purge: (selection) =>
      each(selection, (letters) => vault.write('purgeLetters', { letters, rememberUntil: clock.now() + remembered })),
    async erase(id) {
      await vault.write('eraseLetter', { id, now: clock.now() })
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

export function checkedNote(text: string): string {
  if (text.trim() === '') throw new RedriveError('bad-option', 'A note needs a text.')
  if (text.length > longestNote) throw new RedriveError('bad-option', `A note has at most ${longestNote} characters.`)
  return text
}
