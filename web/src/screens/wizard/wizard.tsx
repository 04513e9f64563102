import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { type Preview, previewQuery, refusalQuery, seal, tell } from '../../api/replays.ts'
import { useLack } from '../../api/session.ts'
import { Button } from '../../parts/button.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Field } from '../../parts/field.tsx'
import { many, numberText } from '../../parts/number.model.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { filterArgument } from '../../parts/shell-quote.model.ts'
import { useToast } from '../../shell/toast.tsx'
import { EditedLetters } from './edited-letters.tsx'
import { ElsewhereFields } from './elsewhere.tsx'
import { LimitFields } from './limit-fields.tsx'
import { PlanView } from './plan-view.tsx'
import { Step } from './step.tsx'
import {
  asPlanned,
  careful,
  type Elsewhere,
  editsOf,
  mistakeIn,
  stepsOf,
  type Wanted,
  wantedOf,
  wishesOf,
} from './wizard.model.ts'

/** Sending letters back, in four steps on one page: what, where to, how carefully, and under which name. Nothing is sent before the last. */
export function WizardScreen() {
  const wanted = wantedOf(useSearch())
  if (!wanted)
    return (
      <Empty title="Nothing to replay">
        Choose letters, a cause, or a filter first; each of these pages has a button “Replay”.
      </Empty>
    )
  return <Wizard wanted={wanted} />
}

function Wizard({ wanted }: { readonly wanted: Wanted }) {
  const [limits, setLimits] = useState(careful)
  const [name, setName] = useState('')
  const [elsewhere, setElsewhere] = useState<Elsewhere>()
  const cannotEdit = useLack()('letters:edit') !== undefined
  const [wantsOriginals, setWantsOriginals] = useState(false)
  const sendsOriginals = wantsOriginals || cannotEdit
  const mistake = mistakeIn(limits)
  // The limits change nothing about which letters go where, and each plan reads all of them.
  const wishes = wishesOf(wanted.selection, careful, elsewhere)
  const {
    data: plan,
    error,
    isPending,
    isPlaceholderData: isOld,
    refetch,
  } = useQuery({ ...previewQuery(wishes), placeholderData: keepPreviousData })
  return (
    <>
      <PageHead
        title="Replay letters"
        about="A replay is sealed first: exactly these letters, sent there, at this rate. What comes later is not part of it."
      />
      <div className="grid max-w-5xl grid-cols-[minmax(0,1fr)] gap-5">
        <Step number={1} title="What is sent, and where to">
          <p className="mb-2 font-mono text-sm break-words text-muted">{selectionText(wanted)}</p>
          {error && <Problem error={error} retry={() => void refetch()} />}
          {isPending && <p className="text-muted">Looking at the letters…</p>}
          {plan && (
            <div aria-busy={isOld} className="aria-busy:opacity-60">
              <PlanView plan={plan} />
            </div>
          )}
          {plan && !wanted.edit && (
            <EditedLetters edited={plan.edited} sendsOriginals={sendsOriginals} onOriginals={setWantsOriginals} />
          )}
          <ElsewhereFields elsewhere={elsewhere} onChange={setElsewhere} />
        </Step>
        <Step number={2} title="How carefully">
          <LimitFields limits={limits} onChange={setLimits} letters={plan?.letters ?? 0} />
          {mistake !== undefined && <p className="mt-2 text-bad">✕ {mistake}</p>}
        </Step>
        <Step number={3} title="Name and start">
          <Confirmation {...{ wanted, plan, isOld, name, limits, mistake, elsewhere, sendsOriginals }} onName={setName} />
        </Step>
      </div>
      <CliLine command={cliText(wanted, sendsOriginals && (plan?.edited ?? 0) > 0)} />
    </>
  )
}

interface ConfirmationProps {
  readonly wanted: Wanted
  readonly plan: Preview | undefined
  /** The plan on the screen is the one before, until the one that was asked for is there. */
  readonly isOld: boolean
  readonly name: string
  readonly onName: (name: string) => void
  readonly limits: typeof careful
  readonly mistake: string | undefined
  readonly elsewhere: Elsewhere | undefined
  readonly sendsOriginals: boolean
}

function Confirmation({ wanted, plan, isOld, name, onName, limits, mistake, elsewhere, sendsOriginals }: ConfirmationProps) {
  const lack = useLack()
  const say = useToast()
  const client = useQueryClient()
  const [, go] = useLocation()
  const begin = useMutation({
    mutationFn: async (starts: boolean) => {
      const sealed = await seal({
        name: name.trim() || 'Replay',
        ...wishesOf(asPlanned(wanted.selection, plan), limits, elsewhere),
        edits: editsOf(wanted.edit, plan, sendsOriginals),
      })
      // It is sealed now, whatever becomes of the start: a second press here would seal another one.
      if (starts) await tell(sealed.replay.id, 'start').catch((refusal: Error) => leave(sealed.replay.id, refusal))
      return sealed.replay
    },
    onSuccess: ({ id, letters }) => {
      const drift = plan && letters !== plan.letters ? ` The plan had ${numberText(plan.letters)}: some changed meanwhile.` : ''
      say(`Replay ${id} holds ${many(letters, 'letter')}.${drift}`, `/replays/${id}`)
      go(`/replays/${id}`)
      // A list of open letters that was looked at before still holds those that were just taken.
      return client.invalidateQueries({ queryKey: ['letters'] })
    },
  })
  function leave(id: number, refusal: Error): void {
    client.setQueryData(refusalQuery(id).queryKey, refusal)
  }
  const letters = plan?.letters ?? 0
  const planned = isOld ? 'The plan is being made anew.' : undefined
  const cannot = mistake ?? planned ?? (letters === 0 ? 'There is no letter that can be sent.' : lack('replays:make'))
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (cannot === undefined && lack('replays:start') === undefined) begin.mutate(true)
      }}
    >
      <Field
        label="Name"
        hint="What for, in a few words. It stands in the list of replays, in the history of each letter and in the audit trail."
      >
        <input
          className="field w-full max-w-xl"
          maxLength={200}
          placeholder="After the fix of the certificate"
          value={name}
          onChange={({ target }) => onName(target.value)}
        />
      </Field>
      <p>
        {many(letters, 'letter')}
        {limits.isCareful && letters > limits.first
          ? `: first ${stepsOf(limits, letters).map(numberText).join(', then ')}. It stops by itself when more than ${limits.tolerated} % come back.`
          : limits.isCareful
            ? '.'
            : ', all at once. What comes back is only counted.'}
      </p>
      {begin.error && <Problem error={begin.error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={begin.isPending} reason={cannot ?? lack('replays:start')}>
          Seal and start
        </Button>
        <Button busy={begin.isPending} reason={cannot} onClick={() => begin.mutate(false)}>
          Seal only
        </Button>
      </div>
      <p className="text-xs text-muted">
        Sealed only, it is started later, perhaps by a second person. The work is done on the server: you may close this page.
      </p>
    </form>
  )
}

function selectionText({ selection, edit }: Wanted): string {
  if ('filter' in selection) return selection.filter === '' ? 'every letter' : seen(selection.filter)
  const some = selection.letters.slice(0, 20).join(', ')
  const rest = selection.letters.length > 20 ? ` and ${selection.letters.length - 20} more` : ''
  return `letter ${some}${rest}${edit ? `, as edited (edit ${edit.edit})` : ''}`
}

function cliText({ selection }: Wanted, sendsOriginals: boolean): string {
  const which = 'filter' in selection ? filterArgument(selection.filter) : `--letters ${selection.letters.join()}`
  return `redrive replay ${which} ${sendsOriginals ? '--originals ' : ''}--dry-run`
}
