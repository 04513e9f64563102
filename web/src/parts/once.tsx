import { useToast } from '../shell/toast.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** A secret that is shown once, and never again. */
export function Once({ title, about, secret, onClose }: { title: string; about: string; secret: string; onClose: () => void }) {
  const say = useToast()
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{about}</p>
      <code data-testid="secret" className="my-3 block rounded-md border bg-raised p-3 font-mono text-sm break-all select-all">
        {secret}
      </code>
      <div className="flex justify-end gap-2">
        <Button onClick={() => void navigator.clipboard.writeText(secret).then(() => say('It is in the clipboard.'))}>
          Copy
        </Button>
        <Button look="primary" onClick={onClose}>
          I have it
        </Button>
      </div>
    </Dialog>
  )
}
