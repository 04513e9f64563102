import { useIsFetching, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { decideUnknown, discard, letterQuery, noteLetter, restore } from '../../api/letters.ts'
import { useLack } from '../../api/session.ts'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Notes } from '../../parts/notes.tsx'
import { bytesText } from '../../parts/number.model.ts'
import { PageHead, Section } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { useActions } from '../../shell/actions.tsx'
import { useToast } from '../../shell/toast.tsx'
import { failureText } from '../letters/failure.model.ts'
import { Payload } from './payload.tsx'
import { Timeline } from './timeline.tsx'
import { Trace } from './trace.tsx'

/** One dead letter, under an address that stays. */
export function LetterScreen({ id }: { readonly id: number }) {
  const asked = useQuery(letterQuery(id))
  const { data, refetch } = asked
  const cannotNote = useLack()('letters:discard')
  const awaitsPayload = useIsFetching({ queryKey: ['content', id] }) > 0
  if (!data) return <Asked of={asked} />
  const { letter, source, cause, notes } = data
  return (
    <>
      <PageHead
        title={failureText(letter)}
        about={
          <span className="flex flex-wrap items-center gap-x-3">
            <span>Letter {id}</span>
            <State of={letter.state} />
            <Link href={`/causes/${cause.id}`} className="link">
              its cause
            </Link>
            {cause.owner !== null && <span>{seen(cause.owner)} looks after it</span>}
          </span>
        }
      >
        <LetterActions id={id} state={letter.state} />
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 lg:grid-cols-[minmax(0,2fr)_minmax(16rem,1fr)]">
        <div className="min-w-0">
          <div className="rounded-lg border bg-surface p-3">
            <Facts
              of={[
                ['Channel', <code key="channel">{seen(letter.channel)}</code>],
                ['Found in', <code key="source">{seen(`${source.connection}/${source.channel}`)}</code>],
                ['Reason', letter.reason && seen(letter.reason)],
                ['Message id', letter.messageId && <code key="message">{seen(letter.messageId)}</code>],
                ['Message type', letter.type && seen(letter.type)],
                [
                  'Consumer',
                  [letter.service, letter.version]
                    .filter((part) => part !== null)
                    .map((part) => seen(part))
                    .join(' '),
                ],
                ['Attempts', letter.attempts],
                ['Key (hashed)', letter.keyHash && <code key="key">{letter.keyHash}</code>],
                ['Generation', letter.generation > 0 ? `${letter.generation}: it came back from a replay` : null],
                ['Written as', `${letter.dialect} (${letter.confidence})`],
                ['Size', bytesText(letter.bytes)],
                ['Place on the broker', letter.position],
              ]}
            />
          </div>
          <Payload id={id} />
          {/* What stands below the payload, here and at the end, comes after it, so that it is not pushed away by it. */}
          {letter.correlationId !== null && !awaitsPayload && <Trace correlationId={letter.correlationId} letter={id} />}
        </div>
        <div>
          <Section title="What happened">
            <Timeline detail={data} />
          </Section>
          <Section title="Notes">
            <Notes notes={notes} reason={cannotNote} write={(text) => noteLetter(id, text)} onWritten={() => void refetch()} />
          </Section>
        </div>
      </div>
      {!awaitsPayload && <CliLine command={`redrive show ${id}`} />}
    </>
  )
}

interface Change {
  /** What the letter is then, in one word. */
  readonly done: 'discarded' | 'restored' | 'decided'
  readonly said: string
  readonly run: () => Promise<{ readonly letters: number }>
}

function LetterActions({ id, state }: { readonly id: number; readonly state: string }) {
  const lack = useLack()
  const say = useToast()
  const client = useQueryClient()
  const [, go] = useLocation()
  const change = useMutation({
    mutationFn: ({ run }: Change) => run(),
    onSuccess: ({ letters }, { done, said }) => {
      // Somebody else may have been quicker, and then nothing of it has happened.
      say(letters > 0 ? said : `Letter ${id} was not ${done}: its state does not allow it.`)
      return client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'content' })
    },
  })
  const notOpen = state === 'open' ? undefined : `It is ${state}; only an open letter can be sent.`
  const cannotReplay = notOpen ?? lack('replays:make')
  const cannotEdit = notOpen ?? lack('letters:edit') ?? lack('payload:reveal')
  const cannotDiscard = notOpen ?? lack('letters:discard')
  const replay = (): void => go(`/replay?letters=${id}`)
  const editIt = (): void => go(`/letters/${id}/edit`)
  const discardIt = (): void =>
    change.mutate({
      done: 'discarded',
      said: `Letter ${id} is discarded. It can be restored.`,
      run: () => discard({ letters: [id] }),
    })
  useActions([
    { name: 'Replay this letter', key: 'r', reason: cannotReplay, act: replay },
    { name: 'Edit and replay this letter', key: 'e', reason: cannotEdit, act: editIt },
    { name: 'Discard this letter', key: 'a', reason: cannotDiscard, act: discardIt },
  ])
  return (
    <>
      <Button look="primary" reason={cannotReplay} onClick={replay}>
        Replay…
      </Button>
      <Button reason={cannotEdit} onClick={editIt}>
        Edit and replay…
      </Button>
      {state === 'discarded' ? (
        <Button
          reason={lack('letters:discard')}
          onClick={() =>
            change.mutate({ done: 'restored', said: `Letter ${id} is open again.`, run: () => restore({ letters: [id] }) })
          }
        >
          Restore
        </Button>
      ) : (
        <Button reason={cannotDiscard} busy={change.isPending} onClick={discardIt}>
          Discard
        </Button>
      )}
      {state === 'unknown' && <DecideUnknown id={id} onDecided={(said, run) => change.mutate({ done: 'decided', said, run })} />}
      {change.error && <Problem error={change.error} />}
    </>
  )
}

/** Nobody knows whether it was sent. A person who looked at the consumer says which it is. */
function DecideUnknown({
  id,
  onDecided,
}: {
  readonly id: number
  readonly onDecided: (said: string, run: Change['run']) => void
}) {
  const reason = useLack()('replays:make')
  return (
    <>
      <Button reason={reason} onClick={() => onDecided('It counts as processed.', () => decideUnknown([id], 'assumed'))}>
        It was processed
      </Button>
      <Button reason={reason} onClick={() => onDecided('It is open again.', () => decideUnknown([id], 'open'))}>
        It never arrived
      </Button>
    </>
  )
}
