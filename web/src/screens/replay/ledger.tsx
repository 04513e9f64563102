import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type LedgerState, ledgerQuery } from '../../api/replays.ts'
import { Ago } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'

const shownStates: readonly (LedgerState | undefined)[] = [
  undefined,
  'returned',
  'unknown',
  'refused',
  'sent',
  'succeeded',
  'assumed',
  'planned',
  'claimed',
  'skipped',
  'cancelled',
]

const columns: readonly Column[] = [
  { name: 'Letter', width: 'w-24' },
  { name: 'State', width: 'w-48' },
  'Where to',
  { name: 'Since', width: 'w-28' },
]

interface LedgerProps {
  readonly replay: number
  /** Only letters in this one. */
  readonly state: LedgerState | undefined
  readonly onState: (state: LedgerState | undefined) => void
}

/** What became of each letter, in the order of the plan. */
export function Ledger({ replay, state, onState }: LedgerProps) {
  const asked = useInfiniteQuery(ledgerQuery(replay, state))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const lines = data?.pages.flatMap((page) => page.lines) ?? []
  return (
    <Section
      title="Letter by letter"
      aside={
        <label className="text-sm text-muted">
          Only{' '}
          <select
            className="field !min-h-7 !py-0"
            value={state ?? ''}
            onChange={({ target }) => onState(shownStates.find((each) => each === target.value))}
          >
            {shownStates.map((each) => (
              <option key={each ?? 'all'} value={each ?? ''}>
                {each ?? 'all'}
              </option>
            ))}
          </select>
        </label>
      }
    >
      <Asked of={asked} />
      <Table
        columns={columns}
        fixed="min-w-[34rem]"
        foot={data && lines.length === 0 && <p className="px-3 py-4 text-muted">None.</p>}
      >
        {lines.map((line) => (
          <tr key={line.seq}>
            <td>
              <Link href={`/letters/${line.letter}`} className="link">
                {line.letter}
              </Link>
            </td>
            <td>
              <State of={line.state} />
              {line.problem !== null && <span className="block text-xs text-bad">{seen(line.problem)}</span>}
            </td>
            <td className="font-mono text-xs">{seen(`${line.destination.connection}/${line.destination.channel}`)}</td>
            <td className="text-muted">
              <Ago at={line.at} />
            </td>
          </tr>
        ))}
      </Table>
      {hasNextPage && (
        <Button className="mt-2" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          More
        </Button>
      )}
    </Section>
  )
}
