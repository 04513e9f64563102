import { useQuery } from '@tanstack/react-query'
import { conservationQuery, sourcesQuery } from '../../api/sources.ts'
import { Asked } from '../../parts/asked.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Empty } from '../../parts/empty.tsx'
import { numberText } from '../../parts/number.model.ts'
import { PageHead, Section } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { Table } from '../../parts/table.tsx'
import { Findings } from './findings.tsx'
import { SourcesTable } from './sources-table.tsx'

export function SourcesScreen() {
  const asked = useQuery(sourcesQuery)
  const { data } = asked
  return (
    <>
      <PageHead
        title="Sources"
        about="Dead-letter channels, with what lies on the broker and what lies in the vault. A broker that cannot be asked is unknown, and never 0."
      />
      <Asked of={asked} />
      {data?.length === 0 && (
        <Empty title="No source is connected">
          Name your dead-letter channels in <code className="font-mono">redrive.yaml</code> under{' '}
          <code className="font-mono">sources</code>, and start <code className="font-mono">redrive up</code> again.
        </Empty>
      )}
      {data && data.length > 0 && (
        <>
          <SourcesTable sources={data} />
          <Accounts />
          <CliLine command="redrive sources" />
          <Findings />
          <Section title="Every letter that was ever kept, by what became of it">
            <Table>
              {data.map(({ id, channel, letters }) => (
                <tr key={id}>
                  <th scope="row" className="w-64 font-medium break-all">
                    {seen(channel)}
                  </th>
                  <td className="text-muted">
                    {Object.entries(letters)
                      .map(([state, count]) => `${numberText(count)} ${state}`)
                      .join(', ') || 'none yet'}
                  </td>
                </tr>
              ))}
            </Table>
          </Section>
        </>
      )}
    </>
  )
}

/** Whether every letter that came is accounted for. */
function Accounts() {
  const { data } = useQuery(conservationQuery)
  if (!data) return null
  if (data.holds) return <p className="mt-2 text-sm text-good">✓ Every letter that came is accounted for.</p>
  const wrong = data.sources.filter(({ differences }) => differences.length > 0)
  return (
    <p className="mt-2 text-sm text-bad">
      ✕ Letters are not accounted for in{' '}
      {wrong.map(({ channel, differences }) => `${seen(channel)} (${differences.join(', ')})`).join(', ')}.
    </p>
  )
}
