import type { Terminal } from '../terminal.ts'

/** A person said no, or there was nobody to ask. */
export class Declined extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Declined'
  }
}

/** Asks `y/N`, unless the answer was given beforehand with `--yes`. Throws `Declined` unless it is yes. */
export async function confirm(terminal: Terminal, question: string, yes: boolean | undefined): Promise<void> {
  if (yes === true) return
  if (!terminal.ask) throw new Declined(`There is nobody to ask "${question}". Give --yes to go on without asking.`)
  const answer = await terminal.ask(`${question} [y/N] `)
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new Declined('Nothing was changed.')
}

/** For what cannot be undone: the person types what is at stake, or a script gives it with `--confirm`. */
export async function confirmTyped(
  terminal: Terminal,
  question: string,
  wanted: string,
  given: string | undefined,
): Promise<void> {
  if (given === undefined && !terminal.ask) {
    throw new Declined(`There is nobody to ask. ${question} Give --confirm ${wanted} to go on without asking.`)
  }
  const answer = given ?? (await terminal.ask?.(`${question} Type ${wanted} to go on: `)) ?? ''
  if (answer.trim() !== wanted) throw new Declined(`That is not ${wanted}. Nothing was changed.`)
}
