import { useState } from 'react'
import { Link } from 'wouter'
import type { CauseDecision, CauseDetail } from '../../api/causes.ts'
import { Ago } from '../../parts/ago.tsx'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { decisionText } from './decisions.model.ts'
import { UndoDialog } from './regroup-dialogs.tsx'

interface DecisionsProps extends Pick<CauseDetail, 'cause' | 'decisions'> {
  /** Why it cannot be undone by whoever looks. */
  readonly reason: string | undefined
  readonly busy: boolean
  readonly error: Error | null
  readonly onUndo: (decision: number, reason: string) => Promise<unknown>
}

/** Who said which causes are one, and which are two, when and why; and the way back. */
export function Decisions({ cause, decisions, reason, busy, error, onUndo }: DecisionsProps) {
  const [undoes, setUndoes] = useState<CauseDecision>()
  if (decisions.length === 0) return null
  return (
    <Section title="Merged and split">
      <ul className="grid gap-2">
        {decisions.map((decision) => (
          <li key={decision.id} className="rounded-md border bg-surface px-3 py-2 text-sm">
            <p className={`break-words ${decision.undoneAt === null ? '' : 'text-muted line-through'}`}>
              {seen(decisionText(decision, cause.id))}
            </p>
            <p className="break-words text-xs text-muted">
              by {seen(decision.actor)}, <Ago at={decision.madeAt} />, because {seen(decision.reason)}
              {decision.isMoving && ' · letters are being moved'}
            </p>
            {decision.undoneAt === null ? (
              <div className="mt-1 flex items-center gap-3">
                <Button reason={reason} onClick={() => setUndoes(decision)}>
                  Undo…<span className="sr-only"> decision {decision.id}</span>
                </Button>
                <Other decision={decision} here={cause.id} />
              </div>
            ) : (
              <p className="break-words text-xs text-muted">
                undone by {seen(decision.undoneBy ?? '')}, <Ago at={decision.undoneAt} />, because{' '}
                {seen(decision.undoneBecause ?? '')}
              </p>
            )}
          </li>
        ))}
      </ul>
      {undoes && (
        <UndoDialog
          what={seen(decisionText(undoes, cause.id))}
          busy={busy}
          error={error}
          onClose={() => setUndoes(undefined)}
          onUndo={(why) =>
            void onUndo(undoes.id, why).then(
              () => setUndoes(undefined),
              () => undefined,
            )
          }
        />
      )}
    </Section>
  )
}

/** The cause at the other end of it. */
function Other({ decision: { cause, target }, here }: { readonly decision: CauseDecision; readonly here: number }) {
  const other = target === here ? cause : target
  return (
    <Link href={`/causes/${other}`} className="link">
      Cause {other}
    </Link>
  )
}
