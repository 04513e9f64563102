import { formatDuration } from '../../src/core/duration.ts'
import type { Capabilities } from '../../src/transports/capabilities.ts'
import { table } from './generated-sections.ts'

/** What a reader wants to know about a broker, and how the capability object says it. */
const rows: readonly (readonly [question: string, answer: (can: Capabilities) => string])[] = [
  ['A delivery is ours by', ({ hold }) => hold],
  ['Who counts', ({ counts }) => counts],
  ['Delayed retry', ({ retry }) => retrying(retry)],
  ['Longest delay of a retry', ({ retry }) => formatDuration(retry.maxDelay)],
  ['Dead-letters by itself', ({ deadLetter }) => deadLettering(deadLetter)],
  ['Moves in one atomic step', ({ move }) => yesNo(move === 'atomic')],
  ['Browse without consuming', ({ browse }) => (browse === 'cursor' ? 'yes' : browse)],
  ['Remove one message', ({ remove }) => yesNo(remove === 'by-position')],
  ['Order by key', ({ ordering }) => yesNo(ordering === 'lane')],
  ['Deduplication on send', ({ deduplication }) => durationOrNo(deduplication)],
  ['Longest delayed send', ({ delayedSend }) => durationOrNo(delayedSend)],
  ['Time to live', ({ ttl }) => yesNo(ttl)],
  ['Headers come back', ({ messages }) => messages.headers],
  ['Headers may repeat', ({ messages }) => yesNo(messages.repeatedHeaders)],
  ['Null bodies', ({ messages }) => yesNo(messages.tombstones)],
  ['Any bytes', ({ messages }) => yesNo(messages.binary)],
  ['Largest body', ({ messages }) => bytes(messages.maxBody)],
  ['Largest headers', ({ messages }) => bytes(messages.maxHeaders)],
]

export function capabilityTable(transports: readonly (readonly [name: string, can: Capabilities])[]): string {
  return table(
    ['', ...transports.map(([name]) => `\`${name}\``)],
    rows.map(([question, answer]) => [question, ...transports.map(([, can]) => answer(can))]),
  )
}

function deadLettering({ native, carriesFailure }: Capabilities['deadLetter']): string {
  if (!native) return 'no'
  return carriesFailure ? 'yes, with the failure' : 'yes, without the failure'
}

function retrying({ by, inPlace }: Capabilities['retry']): string {
  if (by === 'native') return 'native'
  return inPlace ? 'by copy; in its place where order is kept' : 'by copy'
}

function durationOrNo(ms: number): string {
  return ms === 0 ? 'no' : formatDuration(ms)
}

function yesNo(yes: boolean): string {
  return yes ? 'yes' : 'no'
}

function bytes(size: number): string {
  if (!Number.isFinite(size)) return 'no limit'
  return size >= 1024 * 1024 ? `${size / 1024 / 1024} MiB` : `${size / 1024} KiB`
}
