import { type ReactElement, type ReactNode, useId } from 'react'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly children: ReactElement
}

/** A control with its name above and, where there is something to know, a hint below. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is what stands in it
    <label className="grid gap-1" {...(hint !== undefined && { 'aria-describedby': id })}>
      <span className="text-sm font-medium">{label}</span>
      {children}
      {hint !== undefined && (
        <span id={id} className="text-xs text-muted">
          {hint}
        </span>
      )}
    </label>
  )
}
