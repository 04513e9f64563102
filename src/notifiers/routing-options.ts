import { parseTemplate } from '../core/alerts/formats/template.ts'
import type { Templates } from '../core/alerts/formats/words.ts'
import { routeOf } from '../core/alerts/route.ts'
import { severities } from '../core/alerts/severity.ts'
import type { Sink as Listener } from '../core/alerts/sink.ts'
import { listOf, oneOf, text } from '../core/option-checks.ts'
import type { Check, OptionReader } from '../core/options.ts'

/** What every kind of notifier takes: whom it is for, and texts of the user's own. */
export const routingKeys = ['severity', 'sources', 'owners', 'rules'] as const
export const textKeys = ['title', 'text'] as const

const patterns = listOf(text(500), 100)

export function readRoute(given: OptionReader<(typeof routingKeys)[number]>): Listener['takes'] {
  return routeOf({
    severity: given.read('severity', oneOf(severities), 'info'),
    ...(given.has('sources') && { sources: given.required('sources', patterns) }),
    ...(given.has('owners') && { owners: given.required('owners', patterns) }),
    ...(given.has('rules') && { rules: given.required('rules', patterns) }),
  })
}

export function readTemplates(given: OptionReader<(typeof textKeys)[number]>): Templates {
  return {
    ...(given.has('title') && { title: given.required('title', aTemplate(300)) }),
    ...(given.has('text') && { text: given.required('text', aTemplate(10_000)) }),
  }
}

function aTemplate(longest: number): Check<ReturnType<typeof parseTemplate>> {
  return (value, where) => parseTemplate(text(longest)(value, where), where)
}
