import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'

interface ResolveDialogProps {
  readonly busy: boolean
  readonly onClose: () => void
  readonly onResolve: (fixedIn: string | undefined) => void
}

/** Says that a cause is mended, and from which version on: letters of older consumers then open it no more. */
export function ResolveDialog({ busy, onClose, onResolve }: ResolveDialogProps) {
  const [version, setVersion] = useState('')
  return (
    <Dialog title="This is fixed" onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          onResolve(version.trim() === '' ? undefined : version.trim())
        }}
      >
        <Field
          label="Fixed in version (may be left out)"
          hint="With it, only letters from this version or a later one open the cause again. Without it, any new letter does."
        >
          <input
            className="field w-full font-mono"
            maxLength={100}
            placeholder="2.4.1"
            value={version}
            onChange={({ target }) => setVersion(target.value)}
          />
        </Field>
        <p className="text-muted">Its letters stay open until they are replayed or discarded.</p>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            Resolve
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
