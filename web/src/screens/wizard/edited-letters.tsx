import { useLack } from '../../api/session.ts'
import { many } from '../../parts/number.model.ts'

interface EditedLettersProps {
  /** How many of those that would be sent somebody has edited. */
  readonly edited: number
  readonly sendsOriginals: boolean
  readonly onOriginals: (originals: boolean) => void
}

/** Of letters that somebody has edited the newest edit goes, as from a terminal, unless somebody says otherwise or may not send edits. */
export function EditedLetters({ edited, sendsOriginals, onOriginals }: EditedLettersProps) {
  const cannot = useLack()('letters:edit')
  if (edited === 0) return null
  const told = `${many(edited, 'letter')} of these ${edited === 1 ? 'was' : 'were'} edited`
  if (cannot !== undefined)
    return (
      <p className="mt-3 text-warn">
        ? {told}, and would go as {edited === 1 ? 'it' : 'they'} died: sending edits needs more. {cannot}
      </p>
    )
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-6 gap-y-1">
      <span>
        {told}, and {edited === 1 ? 'goes' : 'go'} {sendsOriginals ? 'as if not' : 'as edited last'}.
      </span>
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={sendsOriginals} onChange={({ target }) => onOriginals(target.checked)} />
        Send the originals
      </label>
    </div>
  )
}
