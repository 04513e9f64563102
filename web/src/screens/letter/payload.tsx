import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Content, contentQuery, rawAddress } from '../../api/letters.ts'
import { useLack } from '../../api/session.ts'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Section } from '../../parts/page-head.tsx'
import { shownBody, type View, viewsOf } from './body.model.ts'
import { HeadersTable } from './headers-table.tsx'

const hidden: Readonly<Record<'not-json' | 'too-large', string>> = {
  'not-json': 'It is no JSON, so that nobody could say that all of it was masked.',
  'too-large': 'It is too large to be masked while somebody waits.',
}

/** What a letter holds: masked, until somebody who may says that they have to see it. Every look stands in the audit trail. */
export function Payload({ id }: { readonly id: number }) {
  const lack = useLack()
  const [reveals, setReveals] = useState(false)
  const cannotRead = lack('payload:read')
  const cannotReveal = lack('payload:reveal')
  const asked = useQuery({ ...contentQuery(id, reveals), enabled: cannotRead === undefined })
  const { data } = asked
  return (
    <Section
      title="Payload"
      aside={
        <span className="flex flex-wrap items-center gap-2">
          <span className="text-xs text-muted">
            {data && (data.isMasked ? '▒ masked' : '◉ revealed, which is in the audit trail')}
          </span>
          {reveals ? (
            <Button onClick={() => setReveals(false)}>Mask</Button>
          ) : (
            <Button reason={cannotReveal} onClick={() => setReveals(true)}>
              Reveal
            </Button>
          )}
          {cannotReveal === undefined && (
            <a className="link text-sm" href={rawAddress(id)} download>
              Download the bytes
            </a>
          )}
        </span>
      }
    >
      {cannotRead !== undefined && <Empty title="You may not see payloads">{cannotRead}</Empty>}
      <Asked of={asked} />
      {data && <BodyView content={data} />}
      {data && <HeadersTable headers={data.headers} />}
    </Section>
  )
}

function BodyView({ content: { body, contentType } }: { readonly content: Content }) {
  const views = viewsOf(body)
  const [wanted, setWanted] = useState<View>()
  const view = views.find((each) => each === wanted) ?? views[0]
  if (body.kind === 'none') return <Empty title="There is no body">A tombstone: on a log it says that the key was deleted.</Empty>
  if (body.kind === 'hidden') return <Empty title="There is a body, and nothing of it is shown">{hidden[body.because]}</Empty>
  if (view === undefined) return null
  const { text, isCut } = shownBody(body, view)
  return (
    <div className="rounded-lg border bg-surface">
      <div className="flex flex-wrap items-center gap-2 border-b px-3 py-1.5 text-xs text-muted">
        <span className="font-mono">{contentType ?? 'no content type'}</span>
        <span className="ml-auto flex gap-1">
          {views.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === view}
              onClick={() => setWanted(each)}
              className="rounded px-2 py-0.5 hover:bg-raised aria-pressed:bg-tint aria-pressed:text-accent"
            >
              {each}
            </button>
          ))}
        </span>
      </div>
      <pre
        role="region"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: so that it can be scrolled with the keyboard
        tabIndex={0}
        aria-label="Body"
        data-testid="body"
        className="max-h-[32rem] overflow-auto p-3 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {text}
      </pre>
      {isCut && (
        <p className="border-t px-3 py-1.5 text-xs text-warn">
          Cut: only the beginning is shown. Download the bytes for the whole.
        </p>
      )}
    </div>
  )
}
