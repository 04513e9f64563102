import { formatDuration } from '../../core/duration.ts'
import type { Replays } from '../../ops/control-plane.ts'
import { many } from '../output/times.ts'
import { shown } from '../terminal.ts'

export type Preview = Awaited<ReturnType<Replays['preview']>>

const because: Readonly<Record<Preview['refusals'][number]['because'], string>> = {
  'not-open': 'not open: they are on their way, settled or discarded',
  'no-origin': 'nobody wrote down where they came from: say where with --to, or in `returnTo` of their source',
  'no-route': 'nobody wrote down by which exchange they were published, or their broker has none: leave out --to-origin',
  'copy-out-of-reach': 'the broker still has them on a connection that is not configured: name it, or they would be there twice',
}

const shownIds = 10

/** What a replay would do, for a person to say yes to. */
export function previewLines(
  { plan, letters, refused, refusals, destinations, destinationsInAll }: Preview,
  edited: number,
): readonly string[] {
  return [
    `${many(letters, 'letter')} would be sent${edited > 0 ? `, ${edited.toLocaleString('en-US')} of them as edited` : ''}:`,
    ...destinations.flatMap(destinationLines),
    ...(destinationsInAll > destinations.length
      ? [`  and others to ${destinationsInAll - destinations.length} more places`]
      : []),
    ...refusedLines(refused, refusals),
    ...planLines(plan, letters),
  ]
}

type Planned = Preview['destinations'][number]

export function placeOf({ connection, channel, group, via }: Planned['destination']): string {
  if (!via) return shown(`${connection} / ${channel}${group === undefined ? '' : ` (only ${group})`}`)
  const exchange = via.exchange === '' ? 'the default exchange' : `exchange ${via.exchange}`
  return shown(`${connection} / ${exchange}, key ${via.routingKey}`)
}

function destinationLines({ destination, letters, reach }: Planned): readonly string[] {
  const line = `  ${letters.toLocaleString('en-US')} to ${placeOf(destination)}`
  return reach ? [line, ...reachLines(reach, destination.channel).map((told) => `    ${shown(told)}`)] : [line]
}

/** Who gets it again, in words that promise no more than is known. */
function reachLines({ channels, doubt }: NonNullable<Planned['reach']>, failed: string): readonly string[] {
  const reached = channels.length === 0 ? [] : [`which reaches ${channels.join(', ')}: each of them gets it again`]
  if (doubt !== undefined) return [...reached, `which other queues it reaches is not known. ${doubt}`]
  if (channels.length === 0) return ['which reaches no queue: they would be refused, and stay open']
  return channels.includes(failed) ? reached : [...reached, `and not ${failed}, in which they died`]
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
