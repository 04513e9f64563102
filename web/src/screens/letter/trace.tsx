import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { traceQuery } from '../../api/letters.ts'
import { Ago } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Section } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { quoted } from '../../parts/shell-quote.model.ts'
import { State } from '../../parts/state.tsx'
import { failureText } from '../letters/failure.model.ts'

/** What else happened under the same correlation id, on whichever channel. */
export function Trace({ correlationId, letter }: { readonly correlationId: string; readonly letter: number }) {
  const asked = useQuery(traceQuery(correlationId))
  const { data } = asked
  if (!data) return <Asked of={asked} />
  return (
    <Section title={`Everything under ${seen(correlationId)}`}>
      <ol className="divide-y rounded-lg border bg-surface text-sm">
        {data.map((event) => {
          const id = event.kind === 'failed' ? event.letter.id : event.letter
          return (
            <li key={`${event.kind} ${event.at} ${id}`} className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5">
              <span className="w-24 text-xs text-muted">
                <Ago at={event.at} />
              </span>
              <Link href={`/letters/${id}`} className={id === letter ? 'font-semibold' : 'link'}>
                letter {id}
              </Link>
              {event.kind === 'failed' && (
                <>
                  <span className="font-mono text-xs">{seen(event.letter.channel)}</span>
                  <span className="min-w-0 flex-1 truncate">{failureText(event.letter)}</span>
                  <State of={event.letter.state} />
                </>
              )}
              {event.kind === 'replayed' && (
                <span>
                  replay {event.replay}: {event.outcome}
                </span>
              )}
              {event.kind === 'note' && <span>note by {seen(event.note.actor)}</span>}
            </li>
          )
        })}
      </ol>
      <CliLine command={`redrive trace ${quoted(correlationId)}`} />
    </Section>
  )
}
