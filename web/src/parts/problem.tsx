import { useQueryClient } from '@tanstack/react-query'
import { ApiProblem } from '../api/client.ts'
import { Button } from './button.tsx'
import { seenLines } from './seen.model.ts'

interface ProblemProps {
  readonly error: unknown
  readonly retry?: () => void
}

/** What went wrong, in the server's words and with its code, which docs/errors.md explains. */
export function Problem({ error, retry }: ProblemProps) {
  const told = problemText(error)
  const client = useQueryClient()
  const again = (): void => {
    retry?.()
    // What failed together mostly works again together: one click is enough for the page.
    void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
  }
  return (
    <div role="alert" className="flex flex-wrap items-start gap-3 rounded-md border border-bad bg-bad-tint p-3 text-bad">
      <div className="min-w-0 flex-1">
        <p className="font-semibold">
          <span aria-hidden="true">✕ </span>
          {told.title}
        </p>
        <pre className="font-mono text-xs break-words whitespace-pre-wrap">{seenLines(told.detail)}</pre>
      </div>
      {retry && <Button onClick={again}>Try again</Button>}
    </div>
  )
}

function problemText(error: unknown): { readonly title: string; readonly detail: string } {
  if (error instanceof ApiProblem) return { title: `${error.title} (${error.code})`, detail: error.message }
  return {
    title: 'The server does not answer',
    detail: 'What is shown may be old. Nothing that was started on the server stops.',
  }
}
