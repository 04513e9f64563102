import { type ReactNode, useEffect, useId, useRef } from 'react'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly isWide?: boolean
  /** For what needs no heading on the screen. */
  readonly hidesTitle?: boolean
}

/**
 * The browser's own modal dialog: it keeps the focus inside, closes with Escape and makes the rest of the page inert. It is open while it is
 * rendered, and gives the focus back to where it was.
 */
export function Dialog({ title, onClose, children, isWide = false, hidesTitle = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      // Before the browser closes it by itself and gives the focus back: a key right after Escape would find it open still, and be lost.
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={onClose}
      className={`w-full ${isWide ? 'max-w-3xl' : 'max-w-lg'} rounded-lg border bg-surface p-0 shadow-xl max-h-[90dvh]`}
    >
      <div className="p-4 sm:p-5">
        <h2 id={heading} className={hidesTitle ? 'sr-only' : 'mb-3 text-lg font-semibold'}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  )
}
