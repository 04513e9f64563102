import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { auditQuery, verifyAudit } from '../../api/people.ts'
import { useLack } from '../../api/session.ts'
import { Ago } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { many } from '../../parts/number.model.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { Table } from '../../parts/table.tsx'

/** Who did what, and who looked at what. */
export function AuditScreen() {
  const cannot = useLack()('audit:read')
  if (cannot !== undefined) return <PageHead title="Audit" about={`⊘ You may not read the audit trail. ${cannot}`} />
  return <AuditTrail />
}

function AuditTrail() {
  const asked = useInfiniteQuery(auditQuery)
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = asked
  const verify = useMutation({ mutationFn: verifyAudit })
  const rows = data?.pages.flatMap((page) => page.rows) ?? []
  return (
    <>
      <PageHead
        title="Audit"
        about="Every change and every look at a payload, before it happened and after; also what was refused. Each row holds a hash of the one before."
      >
        <Button onClick={() => void refetch()}>Refresh</Button>
        <Button look="primary" busy={verify.isPending} onClick={() => verify.mutate()}>
          Verify the chain
        </Button>
      </PageHead>
      <div role="status" className="min-h-7">
        {verify.data &&
          (verify.data.bad ? (
            <p className="text-bad">
              ✕ Row {verify.data.bad.seq} does not fit: {verify.data.bad.because}.
            </p>
          ) : (
            <p className="text-good">
              ✓ {many(verify.data.rows, 'row')} fit. Keep this somewhere else now and then:{' '}
              <code className="font-mono text-xs break-all">{verify.data.head}</code>
            </p>
          ))}
      </div>
      <Asked of={asked} />
      {verify.error && <Problem error={verify.error} />}
      <Table columns={['When', 'Who', 'What', 'On what', 'Result']}>
        {rows.map(({ seq, at, actor, address, action, object, detail, result }) => (
          <tr key={seq} className="align-top">
            <td className="whitespace-nowrap text-muted">
              <Ago at={at} />
            </td>
            <td>
              {seen(actor)} <span className="block text-xs text-muted">{seen(address)}</span>
            </td>
            <td className="font-mono text-xs">{seen(action)}</td>
            <td className="font-mono text-xs break-all">
              {seen(object)}
              <span className="block text-muted">{detailText(detail)}</span>
            </td>
            <td>
              <State of={result} />
            </td>
          </tr>
        ))}
      </Table>
      {hasNextPage && (
        <Button className="mt-3" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older rows
        </Button>
      )}
      <CliLine command="redrive audit" />
    </>
  )
}

function detailText(detail: Record<string, unknown>): string {
  const text = JSON.stringify(detail)
  return text === '{}' ? '' : seen(text.slice(0, 500))
}
