import { glob } from '../glob.ts'
import type { RaisedAlert } from './raised-alert.ts'
import { type Severity, severities } from './severity.ts'

/** Which alerts a sink is told of. What is absent is no condition; names take `*` for any characters. */
export interface Route {
  /** This one and those that are more urgent. */
  readonly severity?: Severity
  readonly sources?: readonly string[]
  /** The label `owner` of the rule. */
  readonly owners?: readonly string[]
  readonly rules?: readonly string[]
}

/** What a route asks of an alert. */
export type Routed = Pick<RaisedAlert, 'rule' | 'severity' | 'subject' | 'labels'>

/** A test runs on request and not by route; a heartbeat goes only where it was asked for by name. */
const onlyByName = 'watchdog'

export function routeOf({ severity = 'info', sources, owners, rules }: Route): (alert: Routed) => boolean {
  const least = severities.indexOf(severity)
  const isSource = anyOf(sources)
  const isOwner = anyOf(owners)
  const isRule = anyOf(rules)

  return ({ rule, severity: own, subject, labels }) => {
    if (rule === onlyByName && !rules?.includes(onlyByName)) return false
    return severities.indexOf(own) >= least && isSource(subject.source) && isOwner(labels['owner'] ?? '') && isRule(rule)
  }
}

function anyOf(patterns: readonly string[] | undefined): (name: string) => boolean {
  if (patterns === undefined) return () => true
  const tests = patterns.map(glob)
  return (name) => tests.some((test) => test(name))
}
