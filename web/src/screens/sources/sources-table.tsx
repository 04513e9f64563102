import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Source, type Trend, trendsQuery } from '../../api/sources.ts'
import { Ago, useNow } from '../../parts/ago.tsx'
import { numberText } from '../../parts/number.model.ts'
import { seen } from '../../parts/seen.model.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { durationText } from '../../parts/time.model.ts'
import { quoted } from '../letters/filter.model.ts'
import { TrendCell } from './trend-cell.tsx'

/** Their widths stay: numbers and times change all the time. */
const columns: readonly Column[] = [
  'Source',
  { name: 'Ask for attention', is: 'number', width: 'w-28' },
  { name: 'Last day', width: 'w-44' },
  { name: 'Oldest', width: 'w-24' },
  { name: 'On the broker', width: 'w-36' },
  { name: 'Time to loss', width: 'w-28' },
  { name: 'In the vault', width: 'w-24' },
  { name: 'Mode', width: 'w-18' },
]

/** Every source with its number: red above 0, green at 0, and "at least" while its broker cannot be asked. */
export function SourcesTable({ sources }: { readonly sources: readonly Source[] }) {
  const { data: trends } = useQuery(trendsQuery)
  return (
    <Table columns={columns} fixed="min-w-[56rem]">
      {sources.map((source) => (
        <SourceRow key={source.id} source={source} trend={trends?.find((each) => each.source === source.id)} />
      ))}
    </Table>
  )
}

/** As the rule `time.to.loss` has it when nobody says otherwise. */
const soon = 3_600_000

const unresolvedStates = ['open', 'replaying', 'sent', 'unknown'] as const

function SourceRow({ source, trend }: { readonly source: Source; readonly trend: Trend | undefined }) {
  const { connection, channel, part, group, unresolved, isAtLeast, oldestAt, mode, letters } = source
  const filter = `source:${quoted(channel)} connection:${quoted(connection)} state:open`
  const waiting = unresolvedStates.filter((state) => (letters[state] ?? 0) > 0)
  return (
    <tr>
      <th scope="row">
        <Link href={`/letters?${new URLSearchParams({ filter })}`} className="font-medium break-words hover:underline">
          {seen(channel)}
          {part !== '' && `/${seen(part)}`}
        </Link>
        <span className="block text-xs text-muted">
          {seen(connection)}
          {group !== '' && `, group ${seen(group)}`}
        </span>
      </th>
      <td className="text-right">
        <strong className={`text-lg ${unresolved > 0 ? 'text-bad' : isAtLeast ? 'text-warn' : 'text-good'}`}>
          {isAtLeast && '≥ '}
          {numberText(unresolved)}
        </strong>
        {unresolved === 0 && !isAtLeast && (
          <span className="ml-1 text-good" aria-hidden="true">
            ✓
          </span>
        )}
      </td>
      <td>
        <TrendCell trend={trend} now={unresolved} />
      </td>
      <td className="whitespace-nowrap">{oldestAt === undefined ? <None /> : <Ago at={oldestAt} />}</td>
      <td>
        <OnBroker source={source} />
        <Unread source={source} />
      </td>
      <td>
        <Loss source={source} />
      </td>
      <td className="text-muted">
        {waiting.length === 0
          ? 'nothing that waits'
          : waiting.map((state) => `${numberText(letters[state] ?? 0)} ${state}`).join(', ')}
      </td>
      <td className="text-muted">{mode}</td>
    </tr>
  )
}

function OnBroker({ source: { onBroker } }: { readonly source: Source }) {
  if ('problem' in onBroker)
    return (
      <span className="text-warn">
        ? unknown since <Ago at={onBroker.unknownSince} /> ({onBroker.problem})
      </span>
    )
  return (
    <>
      {numberText(onBroker.letters)}{' '}
      <span className="text-xs text-muted">
        checked <Ago at={onBroker.at} />
      </span>
    </>
  )
}

/** Where the broker drops letters by itself, how long the oldest one has; what the vault has is not lost then. */
function Loss({ source: { loss, mode } }: { readonly source: Source }) {
  const now = useNow()
  if (loss?.nextAt === undefined)
    return <span className="text-muted">{loss || mode === 'collect' ? 'nothing at risk' : 'none known'}</span>
  const left = durationText(loss.nextAt - now)
  const title = new Date(loss.nextAt).toLocaleString()
  if (loss.isCopied)
    return (
      <span className="text-muted" title={title}>
        {left}; the vault has a copy
      </span>
    )
  return (
    <span className={loss.nextAt - now < soon ? 'font-semibold text-bad' : 'text-warn'} title={title}>
      ⌛ {left}, and there is no copy
    </span>
  )
}

/** What is to be copied or collected, and cannot be read. */
function Unread({ source: { reading } }: { readonly source: Source }) {
  if (!reading?.problem) return null
  return (
    <span className="block text-xs text-warn">
      cannot be read ({reading.problem}), the last time {reading.at === undefined ? 'never' : <Ago at={reading.at} />}
    </span>
  )
}

function None() {
  return (
    <span className="text-muted">
      <span aria-hidden="true">–</span>
      <span className="sr-only">none</span>
    </span>
  )
}
