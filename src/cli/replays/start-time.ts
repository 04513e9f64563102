import type { Command } from 'commander'
import { parseDuration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'

export interface StartTimeOptions {
  readonly at?: string
  readonly in?: string
}

export function withStartTime(command: Command): Command {
  return command
    .option('--at <time>', 'starts it then, such as 2026-11-20T03:00Z; the control plane that works does that')
    .option('--in <duration>', 'starts it so much later, such as 2h')
}

const written = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/

/** Epoch milliseconds; nothing where no time was given. A time without an offset could be anybody's. */
export function startTimeOf({ at, in: after }: StartTimeOptions, now: number): number | undefined {
  if (at !== undefined && after !== undefined) throw new RedriveError('bad-option', 'Give --at or --in, and not both.')
  if (after !== undefined) return now + parseDuration(after, '--in')
  if (at === undefined) return undefined
  const time = written.test(at) ? Date.parse(at) : Number.NaN
  if (Number.isNaN(time))
    throw new RedriveError(
      'bad-option',
      '--at needs a time with its offset, such as 2026-11-20T03:00Z or 2026-11-20T03:00+01:00.',
    )
  return time
}
