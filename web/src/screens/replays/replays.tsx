import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { replaysQuery } from '../../api/replays.ts'
import { Ago } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Empty } from '../../parts/empty.tsx'
import { numberText } from '../../parts/number.model.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { useRowKeys } from '../../parts/row-keys.ts'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { Table } from '../../parts/table.tsx'

export function ReplaysScreen() {
  const asked = useInfiniteQuery(replaysQuery)
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const replays = data?.pages.flatMap((page) => page.replays) ?? []
  useRowKeys({ ids: replays.map(({ id }) => id) })
  return (
    <>
      <PageHead
        title="Replays"
        about="Running and past, the newest first. They are done by the server, whether somebody looks or not."
      />
      <Asked of={asked} />
      {data && replays.length === 0 && (
        <Empty title="Nothing was replayed yet">
          When a cause is mended, open it and choose “Replay all”. You see what would be sent before anything is.
        </Empty>
      )}
      {replays.length > 0 && (
        <Table columns={['Replay', 'State', { name: 'Letters', is: 'number' }, 'Made by', 'When']}>
          {replays.map(({ id, name, state, stoppedBecause, letters, actor, madeAt }) => (
            <tr key={id} className="hover:bg-raised">
              <td>
                <Link href={`/replays/${id}`} data-row={id} className="font-medium hover:underline">
                  {seen(name)}
                </Link>
                <span className="block text-xs text-muted">replay {id}</span>
              </td>
              <td>
                <State of={state} />
                {stoppedBecause !== null && <span className="block text-xs text-bad">{seen(stoppedBecause)}</span>}
              </td>
              <td className="text-right">{numberText(letters)}</td>
              <td>{seen(actor)}</td>
              <td className="text-muted">
                <Ago at={madeAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {hasNextPage && (
        <Button className="mt-3" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older ones
        </Button>
      )}
      <CliLine command="redrive replays" />
    </>
  )
}
