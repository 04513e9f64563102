import { type ButtonHTMLAttributes, useId } from 'react'

type Look = 'primary' | 'plain' | 'danger' | 'quiet'

const shape =
  'inline-flex items-center justify-center gap-1.5 rounded-md border px-3 min-h-8 text-sm font-medium whitespace-nowrap aria-disabled:opacity-60 aria-disabled:cursor-not-allowed'

const looks: Readonly<Record<Look, string>> = {
  primary: 'bg-accent text-on-accent border-accent not-aria-disabled:hover:opacity-90',
  plain: 'bg-surface border-control not-aria-disabled:hover:bg-raised',
  danger: 'bg-surface text-bad border-bad not-aria-disabled:hover:bg-bad-tint',
  quiet: 'border-transparent text-accent not-aria-disabled:hover:bg-raised px-2',
}

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  readonly look?: Look
  /** Why it cannot be used now. It stays where it is and says so, instead of failing after a click. */
  readonly reason?: string | undefined
  readonly busy?: boolean
}

export function Button(props: ButtonProps) {
  const { look = 'plain', reason, busy = false, onClick, children, className = '', ...rest } = props
  const id = useId()
  const isOff = reason !== undefined || busy
  const button = (
    <button
      type="button"
      {...rest}
      className={`${shape} ${looks[look]} ${className}`}
      aria-disabled={isOff || undefined}
      aria-describedby={reason === undefined ? rest['aria-describedby'] : id}
      onClick={(event) => {
        if (!isOff) return onClick?.(event)
        event.preventDefault()
        // Enter in a field of its form presses it as well: whoever is there sees why nothing happens only when they are led here.
        if (reason !== undefined) event.currentTarget.focus()
      }}
    >
      {children}
    </button>
  )
  // In the same place with and without a reason, or the button would be another one, without the focus, as soon as it can be used.
  if (!('reason' in props)) return button
  return (
    <span className="reasoned relative inline-flex">
      {button}
      {reason !== undefined && (
        <span
          id={id}
          role="tooltip"
          className="absolute top-full left-0 z-20 mt-1 w-64 max-w-[80vw] rounded-md sm:in-[.at-the-right]:right-0 sm:in-[.at-the-right]:left-auto border bg-surface p-2 text-xs text-ink shadow-lg"
        >
          {reason}
        </span>
      )}
    </span>
  )
}
