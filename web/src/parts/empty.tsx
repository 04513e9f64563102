import type { ReactNode } from 'react'

/** What stands where a list would: says why there is nothing, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="rounded-lg border border-dashed border-control px-6 py-10 text-center">
      <p className="text-lg font-medium">{title}</p>
      {children && <div className="mx-auto mt-2 max-w-prose text-muted">{children}</div>}
    </div>
  )
}
