import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'

interface ConfirmProps {
  readonly title: string
  readonly action: string
  /** What has to be typed first, where a slip would cost much. */
  readonly word?: string | undefined
  readonly busy: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Confirm({ title, action, word, busy, onConfirm, onClose, children }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const isMeant = word === undefined || typed.trim() === word
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isMeant && !busy) onConfirm()
        }}
      >
        <p>{children}</p>
        {word !== undefined && (
          <div className="mt-3">
            <Field label={`Type ${word} to say that you mean it`}>
              <input className="field w-full font-mono" value={typed} onChange={({ target }) => setTyped(target.value)} />
            </Field>
          </div>
        )}
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={busy} reason={isMeant ? undefined : `Type ${word} first.`}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
