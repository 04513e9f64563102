import { RedriveError } from '../errors.ts'
import { visible } from '../visible.ts'

/** As much of a filter as fits on the line of a terminal, on either side of the mistake. */
const shownBefore = 40
const shownBehind = 36

/** A filter that cannot be read. The message shows the place; `at` is the same for programs. */
export class FilterError extends RedriveError {
  /** The index of the character in the text, in UTF-16 units as editors count; the length of the text where something is missing at its end. */
  readonly at: number
  /** What is wrong, in one line, without the place. */
  readonly problem: string

  constructor(text: string, at: number, problem: string) {
    super('bad-filter', `Character ${characters(text.slice(0, at)) + 1} of the filter: ${problem}\n${placeShown(text, at)}`)
    this.name = 'FilterError'
    this.at = at
    this.problem = problem
  }
}

/** The text around the place on one line, and a caret under it on the next. Nothing in it acts on a terminal. */
function placeShown(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - shownBefore), at)
  const behind = text.slice(at, at + shownBehind)
  const left = `${at > shownBefore ? '…' : ''}${visible(before)}`
  const right = `${visible(behind)}${text.length > at + shownBehind ? '…' : ''}`
  return `  ${left}${right}\n  ${' '.repeat(characters(left))}^`
}

function characters(text: string): number {
  return Array.from(text).length
}
