import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { many } from '../../parts/number.model.ts'
import { seen } from '../../parts/seen.model.ts'
import type { DraftHeader } from './draft.model.ts'

interface HeaderEditorProps {
  readonly headers: readonly DraftHeader[]
  readonly onChange: (headers: readonly DraftHeader[]) => void
}

/** The API takes so many. */
const most = 500

export function HeaderEditor({ headers, onChange }: HeaderEditorProps) {
  if (headers.length > most) return <Empty title={`${headers.length} headers are too many to edit here`} />
  const change = (index: number, next: Partial<DraftHeader>): void =>
    onChange(headers.map((header, at) => (at === index ? { ...header, ...next } : header)))
  const remove = (index: number): void => onChange(headers.filter((_, at) => at !== index))
  const rows = headers.map((header, index) => ({ header, index }))
  const ofFailure = rows.filter(({ header }) => isOfFailure(header))
  return (
    <div className="grid gap-1.5">
      {rows
        .filter(({ header }) => !isOfFailure(header))
        .map(({ header, index }) => (
          <HeaderRow
            key={index}
            header={header}
            number={index + 1}
            onChange={(next) => change(index, next)}
            onRemove={() => remove(index)}
          />
        ))}
      <div>
        <Button onClick={() => onChange([...headers, { name: '', value: '', isJson: false }])}>Add a header</Button>
      </div>
      {ofFailure.length > 0 && (
        <details className="text-sm text-muted">
          <summary className="w-fit cursor-pointer">
            {many(ofFailure.length, 'header')} about the failure, which a replay leaves out
          </summary>
          <ul className="mt-1 font-mono text-xs">
            {ofFailure.map(({ header: { name, value }, index }) => (
              <li key={index} className="break-all">
                {seen(name)}: {seen(value)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

/** What the runtime wrote when it gave up; the message that is sent has none of it. */
function isOfFailure({ name }: DraftHeader): boolean {
  return name.startsWith('redrive-')
}

interface HeaderRowProps {
  readonly header: DraftHeader
  readonly number: number
  readonly onChange: (next: Partial<DraftHeader>) => void
  readonly onRemove: () => void
}

function HeaderRow({ header: { name, value, isJson }, number, onChange, onRemove }: HeaderRowProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto_auto] items-center gap-2">
      <input
        className="field font-mono text-xs"
        aria-label={`Name of header ${number}`}
        value={name}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <input
        className="field font-mono text-xs"
        aria-label={`Value of header ${number}`}
        value={value}
        onChange={({ target }) => onChange({ value: target.value })}
      />
      <label className="flex items-center gap-1 text-xs text-muted">
        <input type="checkbox" checked={isJson} onChange={({ target }) => onChange({ isJson: target.checked })} />
        JSON
      </label>
      <Button look="quiet" aria-label={`Remove header ${number}`} onClick={onRemove}>
        ✕
      </Button>
    </div>
  )
}
