import { type FailedRun, failedRunsIn, failedRunsText } from '../core/failed-runs.ts'
import { headersFit, textHeader, withHeaders } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Header, Headers } from '../core/message.ts'
import type { ChannelScope } from './scope.ts'
import type { Turn } from './turn.ts'

/** Those of this turn and, where the broker kept a note of them, of earlier ones. A first turn has none, whatever a producer wrote. */
export function failedRunsOf({ failedRuns, attempt, delivery }: Turn): readonly FailedRun[] {
  if (failedRuns) return failedRuns
  return attempt === 1 ? [] : failedRunsIn(textHeader(delivery.message.headers, redriveHeaders.failedRuns))
}

/** What the next turn is to know of this one. Where there is no room for it, the retry matters more. */
export function failedRunsHeader(turn: Turn, { transport, settings }: ChannelScope): Headers {
  const { headers } = turn.delivery.message
  const note: Header = [redriveHeaders.failedRuns, failedRunsText(failedRunsOf(turn))]
  const budget = Math.min(settings.headerBudget, transport.capabilities.messages.maxHeaders)
  return headersFit(withHeaders(headers, [note]), budget) ? [note] : []
}
