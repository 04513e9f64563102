import { useState } from 'react'
import type { Content } from '../../api/letters.ts'
import { Button } from '../../parts/button.tsx'
import { many, numberText } from '../../parts/number.model.ts'
import { seen } from '../../parts/seen.model.ts'
import { Table } from '../../parts/table.tsx'
import { headerText } from './header.model.ts'

const atFirst = 50

/** Headers in their order. There may be ten thousand of them: the first few are shown until somebody wants all. */
export function HeadersTable({ headers }: { readonly headers: Content['headers'] }) {
  const [isWhole, setWhole] = useState(false)
  if (headers.length === 0) return <p className="mt-3 text-sm text-muted">It has no headers.</p>
  const shown = isWhole ? headers : headers.slice(0, atFirst)
  return (
    <div className="mt-3">
      <Table
        caption={many(headers.length, 'header')}
        foot={
          !isWhole &&
          headers.length > atFirst && (
            <div className="border-t px-3 py-2">
              <Button onClick={() => setWhole(true)}>Show all {numberText(headers.length)}</Button>
            </div>
          )
        }
      >
        {shown.map(([name, value], index) => (
          // A name may be there several times, and nothing ever changes places.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <tr key={index} className="align-top">
            <th scope="row" className="w-56 max-w-56 font-mono text-xs break-words text-muted">
              {seen(name)}
            </th>
            <td className="font-mono text-xs break-all">{headerText(value)}</td>
          </tr>
        ))}
      </Table>
    </div>
  )
}
