import { Field } from '../../parts/field.tsx'
import type { Limits } from './wizard.model.ts'

interface LimitFieldsProps {
  readonly limits: Limits
  readonly onChange: (limits: Limits) => void
  readonly letters: number
}

type NumberName = 'rate' | 'first' | 'growth' | 'tolerated' | 'observe'

export function LimitFields({ limits, onChange }: LimitFieldsProps) {
  const number = (name: NumberName, label: string, hint: string) => (
    <Field label={label} hint={hint}>
      <input
        type="number"
        step="any"
        className="field w-28"
        value={Number.isNaN(limits[name]) ? '' : limits[name]}
        onChange={({ target }) => onChange({ ...limits, [name]: target.valueAsNumber })}
      />
    </Field>
  )
  return (
    <div className="grid gap-4">
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={limits.isCareful}
          onChange={({ target }) => onChange({ ...limits, isCareful: target.checked })}
        />
        Canary: a few first, and more only when those are seen to succeed
      </label>
      <div className="flex flex-wrap gap-x-8 gap-y-4">
        {limits.isCareful && number('first', 'Letters first', 'Before anything is known.')}
        {limits.isCareful && number('growth', 'Then times', 'How much larger each step is.')}
        {limits.isCareful && number('tolerated', 'May come back, %', 'More, and it stops by itself.')}
        {number('rate', 'Letters a second', 'At most.')}
        {number('observe', 'Watched for, seconds', 'Then one that did not come back is taken to have succeeded.')}
      </div>
    </div>
  )
}
