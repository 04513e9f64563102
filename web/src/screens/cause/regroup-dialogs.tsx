import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { type CauseDetail, causesQuery } from '../../api/causes.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { numberText } from '../../parts/number.model.ts'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'

interface RegroupProps {
  readonly busy: boolean
  readonly error: Error | null
  readonly onClose: () => void
}

interface FrameProps extends RegroupProps {
  readonly title: string
  readonly action: string
  /** Why it cannot be done yet. */
  readonly lack?: string | undefined
  readonly onDone: (reason: string) => void
  readonly children: ReactNode
}

/** What is asked for is different; why, and that it can be taken back, is the same for all. */
function RegroupDialog({ title, action, lack, busy, error, onClose, onDone, children }: FrameProps) {
  const [reason, setReason] = useState('')
  const missing = lack ?? (reason.trim() === '' ? 'Say why.' : undefined)
  const done = (event: FormEvent): void => {
    event.preventDefault()
    if (missing === undefined && !busy) onDone(reason.trim())
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="grid gap-4" onSubmit={done}>
        {children}
        <Field label="Why" hint="It stands here for whoever comes next, and in the audit trail.">
          <input className="field w-full" maxLength={500} value={reason} onChange={({ target }) => setReason(target.value)} />
        </Field>
        {error && <Problem error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy} reason={missing}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const mostOffered = 200

/** Says that another cause is this one. */
export function MergeDialog({
  cause,
  onMerge,
  ...rest
}: RegroupProps & { readonly cause: CauseDetail['cause']; readonly onMerge: (other: number, reason: string) => void }) {
  const { data } = useQuery(causesQuery(undefined))
  const others = (data?.causes ?? []).filter(({ id }) => id !== cause.id).slice(0, mostOffered)
  const [other, setOther] = useState('')
  return (
    <RegroupDialog
      {...rest}
      title="Another cause is this one"
      action="Merge"
      lack={other === '' ? 'Choose a cause.' : undefined}
      onDone={(reason) => onMerge(Number(other), reason)}
    >
      <Field label="Which" hint="Those with the newest letters first.">
        <select className="field w-full" value={other} onChange={({ target }) => setOther(target.value)}>
          <option value="">Choose…</option>
          {others.map(({ id, title, unresolved }) => (
            <option key={id} value={id}>
              {id}: {seen(title)} ({numberText(unresolved)} unresolved)
            </option>
          ))}
        </select>
      </Field>
      <p className="text-muted">
        Its letters stand under this one from now on, and those that come. State and owner of this one hold for all. No letter is
        changed, and it can be undone.
      </p>
    </RegroupDialog>
  )
}

/** Takes letters out of it as a cause of their own. */
export function SplitDialog({
  cause,
  members,
  onSplit,
  ...rest
}: RegroupProps &
  Pick<CauseDetail, 'cause' | 'members'> & { readonly onSplit: (from: number, rule: string, reason: string) => void }) {
  const [rule, setRule] = useState('')
  const [from, setFrom] = useState(cause.id)
  return (
    <RegroupDialog
      {...rest}
      title="Some of these letters are another cause"
      action="Split"
      lack={rule.trim() === '' ? 'Say which letters.' : undefined}
      onDone={(reason) => onSplit(from, rule.trim(), reason)}
    >
      {members.length > 0 && (
        <Field label="Of the letters of" hint="What was merged into it is split by itself.">
          <select className="field w-full" value={from} onChange={({ target }) => setFrom(Number(target.value))}>
            {[cause, ...members].map(({ id, title }) => (
              <option key={id} value={id}>
                {id}: {seen(title)}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field
        label="Which letters"
        hint="In the words of filters: channel, error, reason, type, service, version, dialect, source, connection, header.<name>, or words of the failure."
      >
        <input
          className="field w-full font-mono"
          maxLength={2000}
          placeholder="service:billing"
          value={rule}
          onChange={({ target }) => setRule(target.value)}
        />
      </Field>
      <p className="text-muted">Letters that come are judged by it too. It can be undone.</p>
    </RegroupDialog>
  )
}

export function UndoDialog({
  onUndo,
  what,
  ...rest
}: RegroupProps & { readonly what: string; readonly onUndo: (reason: string) => void }) {
  return (
    <RegroupDialog {...rest} title="Undo this" action="Undo" onDone={onUndo}>
      <p>{what}</p>
      <p className="text-muted">Letters stand where all that is still said puts them, also those that came since.</p>
    </RegroupDialog>
  )
}
