import { Link } from 'wouter'
import type { LetterDetail } from '../../api/letters.ts'
import { Ago } from '../../parts/ago.tsx'
import { momentsOf } from './timeline.model.ts'

export function Timeline({ detail }: { readonly detail: LetterDetail }) {
  return (
    <ol className="grid gap-2 border-l pl-4 text-sm">
      {momentsOf(detail).map(({ at, sign, text, to }) => (
        <li key={`${at} ${text}`} className="relative">
          <span aria-hidden="true" className="absolute -left-[1.4rem] rounded-full bg-page px-0.5 text-muted">
            {sign}
          </span>
          <span className="break-words">
            {to === undefined ? (
              text
            ) : (
              <Link href={to} className="link">
                {text}
              </Link>
            )}
          </span>
          <span className="block text-xs text-muted">
            <Ago at={at} />
          </span>
        </li>
      ))}
    </ol>
  )
}
