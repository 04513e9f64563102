import type { ReplayDetail } from '../../ops/control-plane.ts'
import { exitCodes } from '../exit-codes.ts'
import { fieldsOf } from '../output/fields.ts'
import { timestamp } from '../output/times.ts'
import type { Terminal } from '../terminal.ts'

type Counts = ReplayDetail['counts']

/** Each number stands for itself: sent is not succeeded, and nobody heard is not succeeded either. */
const meanings: readonly (readonly [keyof Counts, string])[] = [
  ['planned', 'not sent yet'],
  ['claimed', 'being sent'],
  ['sent', 'sent, and what became of them is not known yet'],
  ['succeeded', 'a consumer reported success'],
  ['assumed', 'have not come back, and nobody reported'],
  ['returned', 'came back as dead letters'],
  ['unknown', 'may or may not have been sent: a person has to look'],
  ['refused', 'certainly not sent; open again'],
  ['cancelled', 'were not sent; open again'],
]

export function describeReplay({ replay, counts }: ReplayDetail, terminal: Terminal): string {
  return fieldsOf(
    [
      ['replay', `${replay.id} ${replay.name}`],
      ['state', `${replay.state}${replay.stoppedBecause === null ? '' : `: ${replay.stoppedBecause}`}`],
      ['since', timestamp(replay.stateSince)],
      ['starts at', replay.startsAt === null ? null : `${timestamp(replay.startsAt)}, by ${replay.scheduledBy}`],
      ['made by', `${replay.actor}, ${timestamp(replay.madeAt)}`],
      ['letters', replay.letters],
      ['seal', replay.seal],
      ...meanings
        .filter(([state]) => counts[state] > 0)
        .map(([state, meaning]) => [state, `${counts[state]} (${meaning})`] as const),
    ],
    terminal,
  )
}

export function exitCodeOfReplay({ replay, counts }: ReplayDetail): number {
  const isWell = replay.state !== 'stopped' && counts.returned + counts.unknown + counts.refused === 0
  return isWell ? exitCodes.done : exitCodes.findings
}
