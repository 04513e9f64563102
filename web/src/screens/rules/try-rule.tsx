import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type RuleTest, testRule } from '../../api/rules.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { type Trial, triedWith, verdictText } from './rule.model.ts'

/** When a rule would have fired, perhaps with another limit. Nobody is told. */
export function TryRule({ rule, onClose }: { readonly rule: string; readonly onClose: () => void }) {
  const [trial, setTrial] = useState<Trial>({ since: '1d', limit: '', lasting: '' })
  const tried = triedWith(rule, trial, Date.now())
  const mistake = 'mistake' in tried ? tried.mistake : undefined
  const run = useMutation({ mutationFn: async () => ('mistake' in tried ? undefined : testRule(rule, tried)) })
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (mistake === undefined && !run.isPending) run.mutate()
  }
  const input = (name: keyof Trial) => (
    <input
      className="field font-mono"
      value={trial[name]}
      onChange={({ target }) => setTrial({ ...trial, [name]: target.value })}
    />
  )
  return (
    <Dialog title={`Try ${seen(rule)} on what was seen`} onClose={onClose} isWide>
      <form onSubmit={submit} className="grid gap-3 sm:grid-cols-3">
        <Field label="How far back" hint="Such as 1d; at most seven days are kept.">
          {input('since')}
        </Field>
        <Field label="Limit" hint="Empty: its own. A number, a share such as 5%, or a duration.">
          {input('limit')}
        </Field>
        <Field label="For" hint="Empty: its own. How long it must hold.">
          {input('lasting')}
        </Field>
        <div className="flex justify-end gap-2 sm:col-span-3">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" reason={mistake} busy={run.isPending}>
            Try
          </Button>
        </div>
      </form>
      {run.error && <Problem error={run.error} />}
      <div role="status">{run.data && <Found test={run.data} />}</div>
    </Dialog>
  )
}

const most = 100

function Found({ test }: { readonly test: RuleTest }) {
  return (
    <>
      <p className="mt-3 font-medium">{verdictText(test)}</p>
      <ol className="mt-2 divide-y text-sm">
        {test.changes.slice(0, most).map(({ at, change, subject }) => (
          <li key={`${at} ${JSON.stringify(subject)} ${change}`} className="flex flex-wrap items-center gap-3 py-1">
            <span className="text-muted">{new Date(at).toLocaleString()}</span>
            <State of={change === 'fired' ? 'critical' : 'resolved'} text={change} />
            <span className="font-mono break-all">
              {seen([subject.source, subject.queue ?? subject.cause].filter((part) => part !== undefined).join('/'))}
            </span>
          </li>
        ))}
      </ol>
      {test.changes.length > most && (
        <p className="text-sm text-muted">
          The first {most} of {test.changes.length}.
        </p>
      )}
    </>
  )
}
