import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Ago } from './ago.tsx'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Problem } from './problem.tsx'
import { seen, seenLines } from './seen.model.ts'

interface NotesProps {
  readonly notes: readonly { readonly madeAt: number; readonly actor: string; readonly text: string }[]
  readonly reason: string | undefined
  readonly write: (text: string) => Promise<unknown>
  readonly onWritten: () => void
}

/** What people found out, for whoever comes next. */
export function Notes({ notes, reason, write, onWritten }: NotesProps) {
  const [text, setText] = useState('')
  const add = useMutation({
    mutationFn: () => write(text),
    onSuccess: () => {
      setText('')
      onWritten()
    },
  })
  return (
    <div className="grid gap-2">
      {notes.map((note) => (
        <div key={`${note.madeAt} ${note.text}`} className="rounded-md border bg-surface px-3 py-2">
          <p className="text-xs text-muted">
            {seen(note.actor)}, <Ago at={note.madeAt} />
          </p>
          <p className="break-words whitespace-pre-wrap">{seenLines(note.text)}</p>
        </div>
      ))}
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() !== '') add.mutate()
        }}
      >
        <div className="flex-1">
          <Field label="A new note">
            <textarea
              className="field w-full"
              rows={2}
              maxLength={10_000}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          </Field>
        </div>
        <Button type="submit" busy={add.isPending} reason={reason}>
          Add
        </Button>
      </form>
      {add.error && <Problem error={add.error} />}
    </div>
  )
}
