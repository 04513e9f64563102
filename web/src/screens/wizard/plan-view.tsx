import { Link } from 'wouter'
import type { Preview } from '../../api/replays.ts'
import { many, numberText } from '../../parts/number.model.ts'
import { seen } from '../../parts/seen.model.ts'
import { refusalCounts } from './wizard.model.ts'

/** What a replay would do, and what it would not, with the reason. */
export function PlanView({ plan }: { readonly plan: Preview }) {
  const { destinations, letters, refused } = plan
  return (
    <div className="grid gap-3">
      <table className="w-full text-sm">
        <thead className="sr-only">
          <tr>
            <th>Letters</th>
            <th>Where to</th>
          </tr>
        </thead>
        <tbody>
          {destinations.map(({ destination: { connection, channel, group }, letters: count }) => (
            <tr key={`${connection}/${channel}/${group ?? ''}`}>
              <td className="w-px py-1 text-right text-lg font-semibold">{numberText(count)}</td>
              <td className="px-3 py-1">
                → <span className="font-mono">{seen(`${connection}/${channel}`)}</span>
                {group !== undefined && <span className="text-muted"> for {seen(group)} alone</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {letters === 0 && <p className="text-warn">? No letter of these can be sent.</p>}
      {refused > 0 && (
        <details>
          <summary className="w-fit cursor-pointer text-warn">⊘ {many(refused, 'letter')} will not be sent</summary>
          <ul className="mt-1 text-sm">
            {refusalCounts(plan).map(([because, ids]) => (
              <li key={because}>
                {because}:{' '}
                {ids.map((id) => (
                  <Link key={id} href={`/letters/${id}`} className="link mr-2">
                    {id}
                  </Link>
                ))}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
