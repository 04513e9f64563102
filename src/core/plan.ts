import type { Decision, Destination, Grave, Step } from './decision.ts'

/** What the planner asks of a broker: the part of a transport's capabilities that turns a decision into steps. */
export interface PlanCapabilities {
  readonly retry: { readonly by: 'native' | 'copy'; readonly inPlace: boolean; readonly maxDelay: number }
  readonly deadLetter: { readonly native: boolean }
  readonly move: 'atomic' | 'none'
}

export interface PlanPreference {
  /** `annotated`: we write the letter, with everything we know. `native`: the broker dead-letters by itself where it can. */
  readonly deadLettering: 'annotated' | 'native'
  /** Messages of one key stay in order: then a retry keeps its place, where the broker can do that. */
  readonly inOrder: boolean
}

const nothing: readonly Step[] = []
const complete: readonly Step[] = [{ kind: 'complete' }]
const release: readonly Step[] = [{ kind: 'release' }]
const reject: readonly Step[] = [{ kind: 'reject' }]

/**
 * How this broker does what was decided. What it does natively or atomically is one step; everything else is *send, confirmed*
 * and then *complete*, so that a failure in between leaves two copies and never none.
 */
export function plan(decision: Decision, capabilities: PlanCapabilities, preference: PlanPreference): readonly Step[] {
  switch (decision.kind) {
    case 'run':
      return nothing
    case 'complete':
    case 'discard':
      return complete
    case 'release':
      return release
    case 'retry':
      return planRetry(decision.delay, capabilities, preference)
    case 'bury':
      return planBurial(decision.grave, capabilities, preference)
  }
}

/** A delay beyond what the broker can hold is shortened: coming back early is a retry, a refused delay would be stuck. */
function planRetry(wanted: number, capabilities: PlanCapabilities, { inOrder }: PlanPreference): readonly Step[] {
  const { by, inPlace, maxDelay } = capabilities.retry
  const delay = Math.min(wanted, maxDelay)
  return by === 'native' || (inOrder && inPlace) ? [{ kind: 'retry', delay }] : transfer('self', delay, capabilities)
}

function planBurial(grave: Grave, capabilities: PlanCapabilities, preference: PlanPreference): readonly Step[] {
  if (grave === 'nowhere') return complete
  const byBroker = preference.deadLettering === 'native' && capabilities.deadLetter.native && grave === 'dead-letter'
  return byBroker ? reject : transfer(grave, 0, capabilities)
}

function transfer(to: Destination, delay: number, capabilities: PlanCapabilities): readonly Step[] {
  return capabilities.move === 'atomic' ? [{ kind: 'move', to, delay }] : [{ kind: 'send', to, delay }, ...complete]
}
