import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type LedgerState,
  ledgerLines,
  type ReplayDetail,
  refusalQuery,
  replayQuery,
  tell,
  type Verb,
} from '../../api/replays.ts'
import { useLack } from '../../api/session.ts'
import { Ago } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Facts } from '../../parts/facts.tsx'
import { numberText } from '../../parts/number.model.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { durationText } from '../../parts/time.model.ts'
import { useActions } from '../../shell/actions.tsx'
import { Ledger } from './ledger.tsx'
import { failureStates, outcomeText, startableStates, verbsOf } from './progress.model.ts'
import { Progress } from './progress.tsx'
import { StartLater } from './start-later.tsx'

const words: Readonly<Record<Verb, string>> = { start: 'Start', pause: 'Pause', resume: 'Resume', cancel: 'Cancel the rest' }

/** One replay as it runs. Closing the page changes nothing. */
export function ReplayScreen({ id }: { readonly id: number }) {
  const asked = useQuery({
    ...replayQuery(id),
    refetchInterval: ({ state }) => (isMoving(state.data) ? 2000 : false),
  })
  const { data } = asked
  const [listed, setListed] = useState<LedgerState>()
  if (!data) return <Asked of={asked} />
  const { replay, counts } = data
  const { plan } = replay
  return (
    <>
      <PageHead
        title={seen(replay.name)}
        about={
          // Three lines beside all the buttons, however long it is: what stands below does not move when it ends.
          <span className="mt-1 grid min-h-22 content-start justify-items-start gap-1">
            <State of={replay.state} />
            <span role="status">{seen(outcomeText(replay, counts))}</span>
          </span>
        }
      >
        <ReplayActions detail={data} />
      </PageHead>
      <Progress detail={data} chosen={listed} onChoose={setListed} />
      <div className="mt-4 rounded-lg border bg-surface p-3">
        <Facts
          of={[
            ['Replay', `${id}, made by ${seen(replay.actor)}`],
            ['Sealed', <Ago key="made" at={replay.madeAt} />],
            ['In this state', <Ago key="since" at={replay.stateSince} />],
            [
              'Starts at',
              replay.startsAt === null
                ? null
                : `${new Date(replay.startsAt).toLocaleString()}, by ${seen(replay.scheduledBy ?? '')}`,
            ],
            ['Letters', numberText(replay.letters)],
            ['Rate', `at most ${plan.rate} a second`],
            [
              'Canary',
              plan.canary === null
                ? 'none: everything at once'
                : `${plan.canary.first} first, then ${plan.canary.growth} times as many; stops above ${plan.canary.tolerated * 100} % that come back`,
            ],
            ['Watched for', durationText(plan.observe)],
            [
              'Seal',
              <code key="seal" className="break-all">
                {replay.seal}
              </code>,
            ],
          ]}
        />
      </div>
      <Ledger replay={id} state={listed} onState={setListed} />
      <CliLine command={`redrive replay-status ${id}`} />
    </>
  )
}

function isMoving(detail: ReplayDetail | undefined): boolean {
  return detail !== undefined && !['sealed', 'missed', 'done', 'cancelled'].includes(detail.replay.state)
}

function ReplayActions({ detail: { replay, counts } }: { readonly detail: ReplayDetail }) {
  const { id, state } = replay
  const lack = useLack()
  const client = useQueryClient()
  const { data: refusal } = useQuery(refusalQuery(id))
  const telling = ['tell', id]
  const change = useMutation({
    mutationKey: telling,
    mutationFn: (verb: Verb) => tell(id, verb),
    onMutate: () => client.setQueryData(refusalQuery(id).queryKey, null),
    onSuccess: (next) => {
      client.setQueryData(replayQuery(id).queryKey, next)
      return Promise.all(['replays', 'letters'].map((key) => client.invalidateQueries({ queryKey: [key] })))
    },
  })
  const order = (verb: Verb): void => {
    // Asked here and not of what was drawn last: the second click of a double click comes before the next drawing.
    if (client.isMutating({ mutationKey: telling }) === 0) change.mutate(verb)
  }
  const verbs = verbsOf[state]
  const begin = state === 'sealing' || startableStates.includes(state) ? 'start' : 'resume'
  const reasonFor = (verb: Verb): string | undefined =>
    verbs.includes(verb) ? lack(verb === 'start' ? 'replays:start' : 'replays:make') : `It is ${state}.`
  const [isLater, setLater] = useState(false)
  const cannotWait = startableStates.includes(state) ? lack('replays:start') : `It is ${state}.`
  const failures = failureStates.reduce((sum, each) => sum + counts[each], 0)
  useActions([
    ...verbs.map((verb) => ({
      name: `${words[verb]} (replay ${id})`,
      reason: reasonFor(verb),
      act: () => order(verb),
    })),
    { name: `Start later (replay ${id})`, reason: cannotWait, act: () => setLater(true) },
  ])
  return (
    <>
      {/* Each has its place in every state: what a hand is on its way to does not become something else. */}
      <Button
        className="min-w-24"
        look={verbs.includes(begin) ? 'primary' : 'plain'}
        busy={change.isPending}
        reason={reasonFor(begin)}
        onClick={() => order(begin)}
      >
        {words[begin]}
      </Button>
      <Button busy={change.isPending} reason={reasonFor('pause')} onClick={() => order('pause')}>
        {words.pause}
      </Button>
      <Button reason={cannotWait} onClick={() => setLater(true)}>
        Later…
      </Button>
      <Button look="danger" busy={change.isPending} reason={reasonFor('cancel')} onClick={() => order('cancel')}>
        {words.cancel}
      </Button>
      <Button reason={failures === 0 ? 'Nothing failed.' : undefined} onClick={() => void downloadFailures(id)}>
        Download failures
      </Button>
      {(change.error ?? refusal) && <Problem error={change.error ?? refusal} />}
      {isLater && <StartLater replay={replay} onClose={() => setLater(false)} />}
    </>
  )
}

/** A line of JSON for each, as the command line prints them. */
async function downloadFailures(replay: number): Promise<void> {
  const lines = await ledgerLines(replay, failureStates)
  const file = new Blob([lines.map((line) => `${JSON.stringify(line)}\n`).join('')], { type: 'application/x-ndjson' })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = `replay-${replay}-failures.jsonl`
  link.click()
  URL.revokeObjectURL(link.href)
}
