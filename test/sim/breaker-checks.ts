import type { Opening, Run } from './script.ts'
import { simBreaker, type Weather } from './weather.ts'

/**
 * What a breaker may do, judged by the runs that an observer saw and by when each process said that its breaker was open. What happens
 * in the very moment in which it opens or closes may fall on either side, so every question is asked in the milder way. A batch that
 * is under way when it opens goes on with all its messages, and tells of them when it ends: so calls are asked about, not runs. What is taken
 * away in the middle of its run tells the breaker nothing, and runs on for a while: where that may happen, nothing is asked.
 */
export function breakerViolations({ runs, weather }: Seen): readonly string[] {
  if (!weather.breaker || isDisturbed(weather)) return []
  const processes = [...new Set(runs.map(({ process }) => process))]
  return processes.flatMap((process) => {
    const own = runs.filter((run) => run.process === process)
    return [...tooManyFailures(own, weather), ...crowdedProbes(own)]
  })
}

/** On a log, whoever comes or goes makes the partitions be handed out anew. */
function isDisturbed({ family, callFaults, disconnects, rebalances, crashes, deploys, powerCuts }: Weather): boolean {
  const takenOver = family === 'log' ? crashes + deploys + powerCuts : 0
  return callFaults + disconnects + rebalances + takenOver > 0
}

interface Seen {
  readonly runs: readonly Run[]
  readonly weather: Weather
}

/** Turns of one message that cost it an attempt: hand-outs whose last run failed while no breaker was open. */
export function spentTurns(own: readonly Run[]): number {
  const isLastOfTurn = (run: Run, index: number): boolean =>
    !own.slice(index + 1).some(({ process, handOut }) => process === run.process && handOut === run.handOut)
  return own.filter((run, index) => run.endedAs === 'failed' && !isPardoned(run) && isLastOfTurn(run, index)).length
}

/** Whether its failure may have cost nothing. */
export function mayBePardoned(run: Run): boolean {
  return openingsAround(run).length > 0
}

function isPardoned(run: Run): boolean {
  const { endedAt } = run.call
  return openingsAround(run).some(({ from, to }) => from < endedAt && endedAt < to)
}

function openingsAround({ process, endedAs, call }: Run): readonly Opening[] {
  if (endedAs !== 'failed') return []
  const { endedAt } = call
  return process.openings.filter(({ from, to }) => from <= endedAt && endedAt <= to && endedAt - from < simBreaker.pardon)
}

/**
 * During an outage nothing succeeds, so the first failures of different messages open the breaker, and all after them cost nothing. A turn has
 * failed with its last run, and not with one that was repeated at once.
 */
function tooManyFailures(own: readonly Run[], { outage }: Weather): readonly string[] {
  if (!outage) return []
  const lastOfFirstTurns = new Map(own.filter(({ handOut }) => handOut === 1).map((run) => [run.number, run]))
  const isInOutage = ({ call: { endedAt } }: Run): boolean => endedAt >= outage.from && endedAt < outage.to
  const failed = [...lastOfFirstTurns.values()].filter((run) => isInOutage(run) && run.endedAs === 'failed')
  const counted = failed.filter((run) => !mayBePardoned(run))
  if (counted.length <= simBreaker.runs) return []
  return [`${counted.length} messages of one process failed in an outage before its breaker opened, more than ${simBreaker.runs}`]
}

function crowdedProbes(own: readonly Run[]): readonly string[] {
  const probes = own.filter(isProbe)
  return probes.flatMap((run, index) => {
    const others = probes.slice(index + 1).filter(({ call }) => call === run.call || call.startedAt < run.call.endedAt)
    return others.map(({ number }) => `m${number} was let through beside m${run.number} while the breaker was open`)
  })
}

function isProbe({ process, call: { startedAt }, endedAs }: Run): boolean {
  const isOver = endedAs === 'succeeded' || endedAs === 'failed'
  return isOver && process.openings.some(({ from, to }) => from < startedAt && startedAt < to)
}
