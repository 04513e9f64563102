import type { ReactNode } from 'react'

interface PageHeadProps {
  readonly title: ReactNode
  /** What the page is about, in a line below. */
  readonly about?: ReactNode
  /** What can be done here. */
  readonly children?: ReactNode
}

export function PageHead({ title, about, children }: PageHeadProps) {
  return (
    <div className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-80">
        <h1 className="text-xl font-semibold tracking-tight text-balance break-words">{title}</h1>
        {about && <div className="mt-0.5 text-muted">{about}</div>}
      </div>
      {children && <div className="at-the-right flex flex-wrap items-center gap-2">{children}</div>}
    </div>
  )
}

export function Section({ title, children, aside }: { title: string; children: ReactNode; aside?: ReactNode }) {
  return (
    <section className="mt-6">
      <div className="mb-2 flex min-h-8 flex-wrap items-center justify-between gap-3">
        <h2 className="font-semibold">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
