import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { makeSilence, silencesQuery } from '../../api/silences.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useToast } from '../../shell/toast.tsx'
import { type SilenceDraft, silenceOf } from './silence.model.ts'

export function NewSilenceDialog({ start, onClose }: { readonly start: SilenceDraft; readonly onClose: () => void }) {
  const [draft, setDraft] = useState(start)
  const say = useToast()
  const client = useQueryClient()
  const silence = silenceOf(draft, Date.now())
  const mistake = 'mistake' in silence ? silence.mistake : undefined
  const make = useMutation({
    mutationFn: async () => {
      if (!('mistake' in silence)) await makeSilence(silence)
    },
    onSuccess: () => {
      say('Nobody is told about these alerts until it ends. The alerts themselves go on.')
      onClose()
      return Promise.all(['alerts', silencesQuery.queryKey[0]].map((key) => client.invalidateQueries({ queryKey: [key] })))
    },
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (mistake === undefined && !make.isPending) make.mutate()
  }
  return (
    <Dialog title="A new silence" onClose={onClose}>
      <form onSubmit={submit} className="grid gap-3">
        <Field
          label="Which alerts"
          hint="One matcher in each line, and all have to fit: name=value, name!=value, or name=~value with * for any characters. Names are rule, type, severity, source, queue, group, cause and labels of rules."
        >
          <textarea
            className="field font-mono"
            rows={3}
            spellCheck={false}
            value={draft.matchers}
            onChange={({ target }) => setDraft({ ...draft, matchers: target.value })}
          />
        </Field>
        <Field label="How long" hint="Such as 30m, 2h or 1d; at most 7d. It can be extended.">
          <input
            className="field w-32 font-mono"
            value={draft.lasts}
            onChange={({ target }) => setDraft({ ...draft, lasts: target.value })}
          />
        </Field>
        <Field label="Why" hint="It stands in the audit trail, and beside the silence.">
          <input
            className="field"
            maxLength={500}
            value={draft.reason}
            onChange={({ target }) => setDraft({ ...draft, reason: target.value })}
          />
        </Field>
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={draft.evenProtected}
            onChange={({ target }) => setDraft({ ...draft, evenProtected: target.checked })}
          />
          Also letters that cannot be written, and a disk that is nearly full
        </label>
        {make.error && <Problem error={make.error} />}
        <div className="mt-2 flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" reason={mistake} busy={make.isPending}>
            Silence
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
