import type { ReactNode } from 'react'

export function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <section className="grid gap-x-4 gap-y-2 rounded-lg border bg-surface p-4 sm:grid-cols-[2rem_minmax(0,1fr)]">
      <span aria-hidden="true" className="text-2xl leading-none font-semibold text-muted">
        {number}
      </span>
      <div className="min-w-0">
        <h2 className="mb-2 font-semibold">{title}</h2>
        {children}
      </div>
    </section>
  )
}
