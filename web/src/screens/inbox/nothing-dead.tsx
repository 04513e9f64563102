import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { sourcesQuery } from '../../api/sources.ts'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { many } from '../../parts/number.model.ts'
import type { InboxView } from './inbox.model.ts'

/** Why the list is empty: because nothing died, because nothing is connected, or because of what was asked for. */
export function NothingDead({ view, onClear }: { readonly view: InboxView; readonly onClear: () => void }) {
  const asked = useQuery(sourcesQuery)
  const { data: sources, isError } = asked
  if (view.filter !== '')
    return (
      <Empty title="No cause has letters that match">
        <Button onClick={onClear}>Clear the filter</Button>
      </Empty>
    )
  if (view.state !== 'open') return <Empty title={`No cause is ${view.state ?? 'known'}`} />
  // What is not known yet, or not any more, is no reason to say that nothing is there.
  if (!sources || isError) return <Asked of={asked} />
  const unreachable = sources.filter(({ onBroker }) => 'problem' in onBroker).length
  if (sources.length === 0)
    return (
      <Empty title="No source is connected">
        Name your dead-letter channels in <code className="font-mono">redrive.yaml</code> under{' '}
        <code className="font-mono">sources</code>, and start <code className="font-mono">redrive up</code> again.{' '}
        <code className="font-mono">redrive up --demo</code> shows a service that fails.
      </Empty>
    )
  if (unreachable > 0)
    return (
      <Empty title="No open cause is known">
        But {many(unreachable, 'source')} cannot be asked, so there may be letters.{' '}
        <Link href="/sources" className="link">
          Look at the sources
        </Link>
      </Empty>
    )
  return (
    <Empty title="✓ Nothing is broken">
      0 open causes. {many(sources.length, 'source')} asked a moment ago, all of them answered.
    </Empty>
  )
}
