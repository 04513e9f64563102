import type { FormEvent, ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/problem.tsx'

interface DoorProps {
  readonly title: string
  readonly about: ReactNode
  readonly children: ReactNode
}

interface CardProps extends DoorProps {
  readonly action: string
  readonly onSubmit: () => void
  readonly isPending: boolean
  readonly error: unknown
  /** Another way in, below the form. */
  readonly otherwise: ReactNode
}

/** What stands around every way in. */
export function Door({ title, about, children }: DoorProps) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-4 py-10">
      <p className="mb-6 text-lg font-semibold tracking-tight">Redrive</p>
      <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-1 mb-5 text-muted">{about}</p>
      {children}
    </main>
  )
}

/** The form at the door. */
export function Card({ title, about, action, onSubmit, isPending, error, children, otherwise }: CardProps) {
  function submit(event: FormEvent): void {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Door title={title} about={about}>
      <form onSubmit={submit} className="grid gap-3">
        {children}
        {error !== null && error !== undefined && <Problem error={error} />}
        <Button type="submit" look="primary" busy={isPending} className="mt-1 min-h-9">
          {isPending ? 'One moment…' : action}
        </Button>
      </form>
      {otherwise}
    </Door>
  )
}
