import { formatDuration } from '../../core/duration.ts'
import type { Replays } from '../../ops/control-plane.ts'
import { many } from '../output/times.ts'
import { shown } from '../terminal.ts'

type Preview = Awaited<ReturnType<Replays['preview']>>

/** What a replay would do, in numbers. */
export interface PreviewSummary {
  readonly plan: Preview['plan']
  readonly letters: number
  readonly destinations: Preview['destinations']
  readonly refused: number
  /** The first hundred. */
  readonly refusals: Preview['refusals']
}

const mostRefusals = 100

export function summaryOf({ plan, letters, destinations, refusals }: Preview): PreviewSummary {
  return { plan, letters: letters.length, destinations, refused: refusals.length, refusals: refusals.slice(0, mostRefusals) }
}

const because: Readonly<Record<Preview['refusals'][number]['because'], string>> = {
  'not-open': 'not open: they are on their way, settled or discarded',
  'no-origin': 'nobody wrote down where they came from: say where with --to',
}

const shownIds = 10

/** What a replay would do, for a person to say yes to. */
export function previewLines(
  { plan, letters, refused, refusals, destinations }: PreviewSummary,
  edited: number,
): readonly string[] {
  return [
    `${many(letters, 'letter')} would be sent${edited > 0 ? `, ${edited.toLocaleString('en-US')} of them as edited` : ''}:`,
    ...destinations.map(({ destination, letters: count }) => `  ${count.toLocaleString('en-US')} to ${placeOf(destination)}`),
    ...refusedLines(refused, refusals),
    ...planLines(plan, letters),
  ]
}

export function placeOf({ connection, channel, group }: { connection: string; channel: string; group?: string }): string {
  return shown(`${connection} / ${channel}${group === undefined ? '' : ` (only ${group})`}`)
}

function refusedLines(refused: number, refusals: Preview['refusals']): readonly string[] {
  if (refused === 0) return []
  const groups = [...Map.groupBy(refusals, (refusal) => refusal.because)]
  return [
    `${many(refused, 'letter')} would not${refused > refusals.length ? `; of the first ${refusals.length}` : ''}:`,
    ...groups.map(([reason, group]) => {
      const ids = group.slice(0, shownIds).map(({ letter }) => letter)
      return `  ${group.length.toLocaleString('en-US')} ${because[reason]} (${ids.join(', ')}${group.length > shownIds ? ', …' : ''})`
    }),
  ]
}

function planLines({ rate, canary, observe }: Preview['plan'], letters: number): readonly string[] {
  const wait = formatDuration(observe)
  const least = formatDuration(Math.ceil(letters / rate) * 1000)
  return [
    `At most ${rate} a second, which takes ${least} or more.`,
    canary
      ? `First ${canary.first}, then up to ${canary.growth} times as many in all, each step when the one before is known to have succeeded; stops by itself when more than ${canary.tolerated * 100} % come back.`
      : 'All of them without looking at the first: letters that come back are only counted.',
    `A letter that has not come back after ${wait}, and of which no consumer reports, counts as assumed.`,
  ]
}
