import type { EndedFile, JournalLine } from './journal.ts'

export interface Results {
  readonly passed: number
  /** Each with the beginning of what it says. */
  readonly failures: readonly string[]
  /** Names of tests that this machine could not run. */
  readonly skipped: readonly string[]
  /** The files that took longest, longest first. */
  readonly slowest: readonly string[]
}

const slowestShown = 12
const linesOfAFailure = 12

/** What a run of tests came to, by its journal: also of one that was broken off. */
export function resultsOf(journal: string, now: number): Results {
  const lines = journal
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as JournalLine)
  const ended = lines.filter((line) => line.kind === 'ended')
  return {
    passed: sum(ended.map(({ passed, standIns }) => passed - standIns)),
    failures: [...ended.flatMap(failuresOf), ...unhandled(lines), ...withoutEnd(lines, now)],
    skipped: ended.flatMap(({ skipped }) => skipped),
    slowest: [...ended]
      .sort((one, other) => other.seconds - one.seconds)
      .slice(0, slowestShown)
      .map(({ file, seconds }) => `${String(Math.round(seconds)).padStart(5)} s  ${file}`),
  }
}

function failuresOf({ file, failed }: EndedFile): string[] {
  return failed.map(({ name, message }) => `FAILED: ${file}: ${name}\n${beginningOf(message)}`)
}

function unhandled(lines: readonly JournalLine[]): string[] {
  return lines
    .filter((line) => line.kind === 'unhandled')
    .map(({ message }) => `FAILED: outside of any test\n${beginningOf(message)}`)
}

function withoutEnd(lines: readonly JournalLine[], now: number): string[] {
  const ended = new Set(lines.filter((line) => line.kind === 'ended').map(({ file }) => file))
  return lines
    .filter((line) => line.kind === 'began')
    .filter(({ file }) => !ended.has(file))
    .map(({ file, at }) => `FAILED: ${file}: no end after ${Math.round((now - at) / 1000)} s`)
}

function beginningOf(text: string): string {
  return indented(text.split('\n').slice(0, linesOfAFailure))
}

export function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
