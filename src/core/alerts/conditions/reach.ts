import type { BrokerDownCondition, FailingProbeCondition } from '../condition.ts'
import { newest } from '../history.ts'
import { type Judge, verdict } from '../verdict.ts'

/**
 * Whether anybody can look at all: the only condition that a look which failed says something about. Only a look that works clears it: after a
 * restart the failures are counted anew, and one of them is no recovery. What is counted and cannot be read has failed as well.
 */
export const judgeFailingProbe: Judge<FailingProbeCondition> = ({ inARow }, { failuresInARow, failure, unread }) => {
  const threshold = inARow
  const isFailing = failuresInARow >= inARow
  if (!isFailing && unread === '') return undefined
  if (!isFailing && unread !== undefined) return verdict(true, { threshold, unread })
  const why = failuresInARow > 0 && { count: failuresInARow, ...(failure !== undefined && { failure }) }
  return verdict(isFailing, { threshold, ...why }, failuresInARow === 0)
}

/** One failure in a row is a hiccup; when all of them fail at once, and one of them for the third time, it is the broker. */
export const judgeBrokerDown: Judge<BrokerDownCondition> = ({ inARow }, history) => {
  const { probedSources, failingSources, failuresInARow = 0 } = newest(history)
  if (probedSources === undefined || failingSources === undefined) return undefined
  const holds = probedSources > 0 && failingSources === probedSources && failuresInARow >= inARow
  return verdict(holds, { count: failingSources, threshold: probedSources }, failingSources < probedSources)
}

/** Messages wait and nobody takes them. */
export const judgeNoConsumer: Judge<{ readonly kind: 'no-consumer' }> = (_, history) => {
  const { consumers, lag } = newest(history)
  if (consumers === undefined || lag === undefined) return undefined
  return verdict(consumers === 0 && lag > 0, { count: lag, threshold: 0 })
}
