import { type FormEvent, useRef, useState } from 'react'
import { fields } from '../../../../src/core/filter/fields.ts'
import { parseFilter } from '../../../../src/core/filter/parse-filter.ts'
import { Button } from '../../parts/button.tsx'
import { useActions } from '../../shell/actions.tsx'

interface FilterFieldProps {
  readonly filter: string
  readonly onFilter: (filter: string) => void
  readonly label: string
  /** Filters to take as they are; the empty one is everything. */
  readonly quick: readonly string[]
}

/** Takes a filter, and says where it is wrong before it is asked for. */
export function FilterField({ filter, onFilter, label, quick }: FilterFieldProps) {
  const [typed, setTyped] = useState(filter)
  const field = useRef<HTMLInputElement>(null)
  const mistake = mistakeIn(typed)
  useActions([{ name: 'Change the filter', key: '/', act: () => field.current?.select() }])
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (mistake === undefined) onFilter(typed.trim())
  }
  return (
    <form onSubmit={submit} className="mb-3">
      <div className="flex gap-2">
        <input
          ref={field}
          className="field w-full font-mono"
          aria-label={label}
          aria-invalid={mistake !== undefined}
          aria-describedby="filter-mistake"
          placeholder="Everything. Such as: state:open channel:orders.* age>1h &quot;card declined&quot;"
          spellCheck={false}
          autoCapitalize="none"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button type="submit" look="primary" reason={mistake === undefined ? undefined : 'The filter has a mistake.'}>
          Show
        </Button>
      </div>
      <pre id="filter-mistake" className="font-mono text-xs whitespace-pre-wrap text-bad">
        {mistake}
      </pre>
      <div className="mt-1 flex flex-wrap items-center gap-1 text-xs">
        {quick.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={filter === each}
            onClick={() => onFilter(each)}
            className="rounded border px-1.5 py-0.5 font-mono hover:bg-raised aria-pressed:bg-tint aria-pressed:text-accent"
          >
            {each === '' ? 'everything' : each}
          </button>
        ))}
        <FieldHelp />
      </div>
    </form>
  )
}

function FieldHelp() {
  return (
    <details className="basis-full">
      <summary className="w-fit cursor-pointer py-1 text-muted">What can stand in a filter</summary>
      <table className="mt-1 text-xs">
        <tbody>
          {Object.entries(fields).map(([name, { means, example }]) => (
            <tr key={name}>
              <td className="pr-4 font-mono whitespace-nowrap">{example}</td>
              <td className="text-muted">{means}</td>
            </tr>
          ))}
          <tr>
            <td className="pr-4 font-mono">header.tenant:acme</td>
            <td className="text-muted">
              A header. A minus before a term denies it; OR and parentheses work; words in quotes are a phrase.
            </td>
          </tr>
        </tbody>
      </table>
    </details>
  )
}

function mistakeIn(filter: string): string | undefined {
  try {
    parseFilter(filter)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
