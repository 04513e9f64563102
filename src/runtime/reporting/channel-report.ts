import { type ChannelReport, longestReportedName, type ReportedSuccess } from '../../core/consumer-report.ts'
import { countHeader, textHeader } from '../../core/headers.ts'
import { redriveHeaders } from '../../core/letter.ts'
import type { Delivery } from '../../transports/seam.ts'
import type { ChannelSettings } from '../channel-options.ts'
import { type ChannelStats, lettersIn } from '../stats.ts'

export function channelReport(settings: ChannelSettings, state: ChannelReport['state'], stats: ChannelStats): ChannelReport {
  const { name } = settings
  const [group, deadLetter] = [settings.group ?? null, settings.deadLetter ?? null]
  const { running, held, parked, spoolDepth, spoolAside, completed, retried, released, failedRuns, publishFailures } = stats
  return {
    ...{ name, group, deadLetter, state, running, held, parked, spooled: spoolDepth, spoolAside },
    counts: {
      received: stats.fresh.received + stats.replayed.received,
      ...{ completed, retried, released, failedRuns, publishFailures },
      deadLettered: lettersIn(stats),
    },
  }
}

/** What was processed, and for which group: where the channel names none, the transport does. */
export type Processed = Pick<Delivery, 'message' | 'address'>

/** Nothing for a message that does not say which letter of which replay it is; its headers are anybody's. */
export function successOf({ message, address }: Processed, { name, group }: ChannelSettings): ReportedSuccess | undefined {
  const { headers } = message
  const letter = textHeader(headers, redriveHeaders.letter)
  const replay = countHeader(headers, redriveHeaders.replay)
  if (letter === undefined || !replay || !isName(letter)) return undefined
  return { replay, letter, channel: name, group: group ?? address.group ?? null }
}

function isName(text: string): boolean {
  return text.length <= longestReportedName && /^[\x21-\x7e]+$/.test(text)
}
