import { useToast } from '../shell/toast.tsx'
import { Button } from './button.tsx'

/** The same in a terminal: whoever does something often can write it into a script. */
export function CliLine({ command }: { readonly command: string }) {
  const say = useToast()
  const whole = `${command} --server ${location.origin}`
  return (
    <div className="mt-3 flex min-w-0 items-center gap-2 text-xs text-muted">
      <span aria-hidden="true" className="font-mono">
        $
      </span>
      <span className="sr-only">The same in a terminal:</span>
      <code className="min-w-0 flex-1 truncate font-mono" title={whole}>
        {whole}
      </code>
      <Button
        look="quiet"
        onClick={() => void navigator.clipboard.writeText(whole).then(() => say('The command is in the clipboard.'))}
      >
        Copy<span className="sr-only"> the command</span>
      </Button>
    </div>
  )
}
