import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type Content, contentQuery, letterQuery } from '../../api/letters.ts'
import { edit, schemaQuery } from '../../api/replays.ts'
import { useLack } from '../../api/session.ts'
import { Button } from '../../parts/button.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Empty } from '../../parts/empty.tsx'
import { many } from '../../parts/number.model.ts'
import { PageHead, Section } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/problem.tsx'
import { BodyEditor, type GivenText } from './body-editor.tsx'
import { Diff } from './diff.tsx'
import { type Draft, draftOf, headersOf, jsonMistake, sentBody } from './draft.model.ts'
import { HeaderEditor } from './header-editor.tsx'
import { useQuiet } from './quiet.ts'
import type { SchemaMistake } from './schema.model.ts'

/** A changed copy of a letter, compared with the original before it is sent. The original stays. */
export default function EditScreen({ id }: { readonly id: number }) {
  const lack = useLack()
  const cannot = lack('letters:edit') ?? lack('payload:reveal')
  const [isMeant, setMeant] = useState(false)
  const { data, error } = useQuery({ ...contentQuery(id, true), enabled: cannot === undefined && isMeant })
  const draft = data && draftOf(data)
  return (
    <>
      <PageHead
        title={`Edit letter ${id}`}
        about={
          <Link href={`/letters/${id}`} className="link">
            Back to the letter
          </Link>
        }
      />
      {cannot !== undefined && (
        <Empty title="You may not edit letters">{cannot} Masked values cannot be edited without being lost.</Empty>
      )}
      {cannot === undefined && !isMeant && (
        <Empty title="Editing shows the payload as it is">
          <p className="mb-3">That look is written into the audit trail.</p>
          <Button look="primary" onClick={() => setMeant(true)}>
            Reveal and edit
          </Button>
        </Empty>
      )}
      {error && <Problem error={error} />}
      {draft && 'cannot' in draft && (
        <Empty title="This cannot be edited here">
          {draft.cannot} In a terminal: <code className="font-mono">redrive edit {id} --help</code>
        </Empty>
      )}
      {data && draft && !('cannot' in draft) && <Editor id={id} original={draft} content={data} />}
      <CliLine command={`redrive edit ${id}`} />
    </>
  )
}

function Editor({ id, original, content }: { readonly id: number; readonly original: Draft; readonly content: Content }) {
  const [, go] = useLocation()
  const { data: letter, error: unseen, refetch } = useQuery(letterQuery(id))
  const [draft, setDraft] = useState(original)
  const [given, setGiven] = useState<GivenText>({ text: original.body })
  const shown = useDeferredValue(draft)
  const wasJson = jsonMistake(original.body) === undefined
  const mistake = wasJson ? jsonMistake(draft.body) : undefined
  const verdict = useSchema(id, draft.body, mistake === undefined)
  const headers = headersOf(draft.headers)
  const headerMistake = 'mistake' in headers ? headers.mistake : undefined
  const changesBody = draft.body !== original.body
  const changesHeaders = JSON.stringify(draft.headers) !== JSON.stringify(original.headers)
  const save = useMutation({
    mutationFn: () =>
      edit(
        id,
        {
          ...(changesBody && { body: { text: sentBody(draft) } }),
          ...(changesHeaders && !('mistake' in headers) && { headers: [...headers] }),
        },
        letter?.etag,
      ),
    onSuccess: (made) => go(`/replay?letters=${id}&edit=${made.id}`),
  })
  function undoAll(): void {
    setDraft(original)
    setGiven({ text: original.body })
  }
  const breaksSchema = changesBody && verdict.mistakes.length > 0 ? 'The body is not as its schema wants it.' : undefined
  const unchanged = changesBody || changesHeaders ? undefined : 'Nothing is changed.'
  // The server takes no edit of a letter that was not seen as it is now.
  const reason = headerMistake ?? breaksSchema ?? unchanged ?? (letter ? undefined : 'The letter is not here yet.')
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5 xl:grid-cols-2">
        <div>
          <p className="mb-1 flex flex-wrap justify-between gap-3 text-sm font-medium">
            Body <span className="font-normal text-muted">{content.contentType}</span>
          </p>
          <BodyEditor
            given={given}
            isJson={wasJson}
            mistakes={verdict.mistakes}
            onChange={(body) => setDraft((last) => ({ ...last, body }))}
          />
          <p role="status" className="mt-1 min-h-5 text-sm text-bad">
            {mistake !== undefined && `✕ It was JSON and is none any more. ${mistake}`}
            {mistake === undefined && <SchemaLine {...verdict} isChanged={changesBody} />}
          </p>
        </div>
        <div>
          <p className="mb-1 text-sm font-medium">What changes</p>
          <div className="rounded-md border bg-surface">
            {changesBody ? <Diff before={original.body} after={shown.body} /> : <p className="p-3 text-muted">Nothing yet.</p>}
          </div>
        </div>
      </div>
      <Section title="Headers">
        <HeaderEditor headers={draft.headers} onChange={(next) => setDraft((last) => ({ ...last, headers: next }))} />
      </Section>
      {unseen && <Problem error={unseen} retry={() => void refetch()} />}
      {save.error && (
        <div className="mt-3">
          <Problem error={save.error} />
        </div>
      )}
      <div className="mt-5 flex flex-wrap items-center gap-2">
        <Button look="primary" busy={save.isPending} reason={reason} onClick={() => save.mutate()}>
          Keep the edit and go on to the replay
        </Button>
        <Button onClick={undoAll} reason={unchanged}>
          Undo all
        </Button>
        {mistake !== undefined && <span className="text-sm text-warn">It would be sent as broken JSON.</span>}
      </div>
    </>
  )
}

const nothing: readonly SchemaMistake[] = []

/** What the server says about the text, once nobody has typed for a moment. Of broken JSON it is not asked: that is said here already. */
function useSchema(letter: number, body: string, isJson: boolean): { hasSchema: boolean; mistakes: readonly SchemaMistake[] } {
  const text = useQuiet(body)
  const { data } = useQuery({ ...schemaQuery(letter, text), enabled: isJson, placeholderData: keepPreviousData })
  return { hasSchema: data?.hasSchema === true, mistakes: isJson ? (data?.mistakes ?? nothing) : nothing }
}

interface SchemaLineProps {
  readonly hasSchema: boolean
  readonly mistakes: readonly SchemaMistake[]
  readonly isChanged: boolean
}

function SchemaLine({ hasSchema, mistakes, isChanged }: SchemaLineProps) {
  if (!hasSchema) return <span className="text-muted">There is no schema to compare it with.</span>
  if (mistakes.length === 0) return <span className="text-good">✓ It is as its schema wants it.</span>
  return (
    <>
      ✕ {isChanged ? 'It breaks' : 'The original breaks'} its schema in {many(mistakes.length, 'place')}, each marked in the text.
    </>
  )
}
