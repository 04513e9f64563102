import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ReplayDetail, replayQuery, schedule } from '../../api/replays.ts'
import { useLack } from '../../api/session.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Problem } from '../../parts/problem.tsx'

/** For one that is not to be started now: when it is. */
export function StartTime({ detail: { replay } }: { readonly detail: ReplayDetail }) {
  const { id, state } = replay
  const client = useQueryClient()
  const cannotStart = useLack()('replays:start')
  const [time, setTime] = useState('')
  const at = new Date(time).getTime()
  const give = useMutation({
    mutationFn: () => schedule(id, at),
    onSuccess: (next) => {
      client.setQueryData(replayQuery(id).queryKey, next)
      setTime('')
      return client.invalidateQueries({ queryKey: ['replays'] })
    },
  })
  const lack = cannotStart ?? (Number.isNaN(at) ? 'Choose a time first.' : undefined)
  return (
    <form
      className="mb-4 flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (lack === undefined && !give.isPending) give.mutate()
      }}
    >
      <Field label="Start later, at" hint="In your own time zone. It is started by itself then; until then it can be cancelled.">
        <input type="datetime-local" className="field" value={time} onChange={({ target }) => setTime(target.value)} />
      </Field>
      <Button type="submit" busy={give.isPending} reason={lack}>
        {state === 'scheduled' ? 'Give it another time' : 'Schedule'}
      </Button>
      {give.error && <Problem error={give.error} />}
    </form>
  )
}
