import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ReplayDetail, replayQuery, schedule } from '../../api/replays.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Problem } from '../../parts/problem.tsx'

interface StartLaterProps {
  readonly replay: ReplayDetail['replay']
  readonly onClose: () => void
}

/** For one that is not to be started now: when it is. */
export function StartLater({ replay: { id, state }, onClose }: StartLaterProps) {
  const client = useQueryClient()
  const [time, setTime] = useState('')
  const at = new Date(time).getTime()
  const lack = Number.isNaN(at) ? 'Choose a time first.' : undefined
  const give = useMutation({
    mutationFn: () => schedule(id, at),
    onSuccess: (next) => {
      client.setQueryData(replayQuery(id).queryKey, next)
      onClose()
      return client.invalidateQueries({ queryKey: ['replays'] })
    },
  })
  return (
    <Dialog title="Start this replay later" onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (lack === undefined && !give.isPending) give.mutate()
        }}
      >
        <Field
          label="Start later, at"
          hint="In your own time zone. It is started by itself then; until then it can be cancelled."
        >
          <input type="datetime-local" className="field" value={time} onChange={({ target }) => setTime(target.value)} />
        </Field>
        {give.error && <Problem error={give.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button type="submit" look="primary" busy={give.isPending} reason={lack}>
            {state === 'scheduled' ? 'Give it another time' : 'Schedule'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
