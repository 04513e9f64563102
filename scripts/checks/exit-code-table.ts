import { exitCodeMeanings, exitCodes } from '../../src/cli/exit-codes.ts'
import { table } from './generated-sections.ts'

/** How every command ends, in numbers. */
export function exitCodeTable(): string {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[]
  return table(
    ['Exit code', 'Meaning'],
    names.map((name) => [String(exitCodes[name]), exitCodeMeanings[name]]),
  )
}
