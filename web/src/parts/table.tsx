import type { ReactNode } from 'react'

/** The head of a column: a text, at the right where numbers stand below it, or only read out where buttons do. */
export type Column = string | { readonly name: string; readonly is?: 'number' | 'unseen'; readonly width?: string }

interface TableProps {
  readonly columns?: readonly Column[]
  /** Columns have the widths that their heads say, whatever stands in them, and all of them together at least this one. */
  readonly fixed?: string
  /** What the table is about, where its heads do not say it. */
  readonly caption?: string
  /** Its rows. */
  readonly children: ReactNode
  /** What stands below the rows, within the frame. */
  readonly foot?: ReactNode
}

/** Rows below heads in a frame. It scrolls by itself where the window is too narrow, so that the page never does. */
export function Table({ foot, ...rows }: TableProps) {
  return (
    <div className="overflow-x-auto rounded-lg border bg-surface">
      <Rows {...rows} />
      {foot}
    </div>
  )
}

/** The same without the frame, for who has one. */
export function Rows({ columns, fixed, caption, children }: Omit<TableProps, 'foot'>) {
  return (
    <table className={`rows w-full text-sm ${fixed === undefined ? '' : `table-fixed ${fixed}`}`}>
      {caption !== undefined && <caption className="border-b px-3 py-1.5 text-left text-xs text-muted">{caption}</caption>}
      {columns && (
        <thead>
          <tr className="border-b">
            {columns.map((column) => (
              <Head key={typeof column === 'string' ? column : column.name} column={column} />
            ))}
          </tr>
        </thead>
      )}
      <tbody className="divide-y">{children}</tbody>
    </table>
  )
}

function Head({ column }: { readonly column: Column }) {
  if (typeof column === 'string') return <th scope="col">{column}</th>
  const { name, is, width = '' } = column
  return (
    <th scope="col" className={`${width} ${is === 'number' ? 'text-right' : ''}`}>
      {is === 'unseen' ? <span className="sr-only">{name}</span> : name}
    </th>
  )
}
