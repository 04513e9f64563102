import { RedriveError } from '../errors.ts'
import { glob } from '../glob.ts'
import type { RaisedAlert } from './raised-alert.ts'

/** `=` and `!=` compare; `=~` takes `*` for any characters. */
export interface Matcher {
  readonly name: string
  readonly is: '=' | '!=' | '=~'
  readonly value: string
}

/** What an alert can be known by; everything else is one of its labels. */
const fields: Readonly<Record<string, (alert: Matched) => string | undefined>> = {
  rule: ({ rule }) => rule,
  type: ({ type }) => type,
  severity: ({ severity }) => severity,
  fingerprint: ({ fingerprint }) => fingerprint,
  source: ({ subject }) => subject.source,
  queue: ({ subject }) => subject.queue,
  group: ({ subject }) => subject.consumerGroup,
  cause: ({ subject }) => subject.cause,
}

export type Matched = Pick<RaisedAlert, 'rule' | 'type' | 'severity' | 'fingerprint' | 'subject' | 'labels'>

/** All of them have to fit; none at all fit nothing, so that nobody silences everything by saying nothing. */
export function fits(matchers: readonly Matcher[], alert: Matched): boolean {
  return matchers.length > 0 && matchers.every((matcher) => fitsOne(matcher, alert))
}

function fitsOne(matcher: Matcher, alert: Matched): boolean {
  const { name } = matcher
  return compares(matcher, (Object.hasOwn(fields, name) ? fields[name]?.(alert) : alert.labels[name]) ?? '')
}

/** Whether they leave room for an alert about this queue: what they say about other things is not asked. */
export function mayConcern(matchers: readonly Matcher[], { source, queue }: { source: string; queue: string }): boolean {
  const known: Readonly<Record<string, string>> = { source, queue }
  return matchers.every((matcher) => {
    const found = known[matcher.name]
    return found === undefined || compares(matcher, found)
  })
}

function compares({ is, value }: Matcher, found: string): boolean {
  if (is === '=~') return glob(value)(found)
  return (found === value) === (is === '=')
}

const written = /^([\w.-]{1,100})(!=|=~|=)(.{1,500})$/s

export function readMatcher(text: string): Matcher {
  const [, name, is, value] = written.exec(text) ?? []
  if (name !== undefined && value !== undefined) return { name, is: is as Matcher['is'], value }
  const known = Object.keys(fields).join(', ')
  throw new RedriveError(
    'bad-option',
    `${JSON.stringify(text.slice(0, 100))} is no matcher. Write name=value, name!=value or name=~value with * for any characters; names are ${known} and labels.`,
  )
}
