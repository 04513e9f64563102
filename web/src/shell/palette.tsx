import { type KeyboardEvent, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { Dialog } from '../parts/dialog.tsx'
import { useOffered } from './actions.tsx'
import { entriesFor, type PaletteEntry } from './palette.model.ts'

/** Everything that can be done here and everywhere to go, by typing some of its name; a number is a letter, anything else a search. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const offered = useOffered()
  const [, go] = useLocation()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const entries = entriesFor(typed, offered)
  const current = Math.min(at, entries.length - 1)

  function choose(entry: PaletteEntry | undefined): void {
    if (!entry || entry.reason !== undefined) return
    onClose()
    if ('to' in entry) go(entry.to)
    else entry.act()
  }

  function onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((current + step + entries.length) % Math.max(1, entries.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      choose(entries[current])
    }
  }

  return (
    <Dialog title="Commands" hidesTitle onClose={onClose}>
      <input
        // The dialog was opened to type here.
        autoFocus
        role="combobox"
        aria-label="Type a command, the number of a letter or words to look for"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={entries.length > 0 ? `${list}-${current}` : undefined}
        className="field w-full text-lg"
        placeholder="Type a command, the number of a letter, or words to look for"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      <div id={list} role="listbox" aria-label="Commands" className="mt-2 max-h-96 overflow-auto">
        {entries.map((entry, index) => (
          // The keyboard is handled by the field, which keeps the focus.
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          <div
            key={entry.name}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === current}
            aria-disabled={entry.reason !== undefined || undefined}
            onClick={() => choose(entry)}
            className="flex cursor-pointer items-baseline justify-between gap-3 rounded px-2 py-1.5 aria-disabled:cursor-not-allowed aria-disabled:text-muted aria-selected:bg-tint"
          >
            <span>
              {entry.name}
              {entry.reason !== undefined && <span className="block text-xs">{entry.reason}</span>}
            </span>
            {entry.key !== undefined && <kbd className="rounded border px-1.5 font-mono text-xs">{entry.key}</kbd>}
          </div>
        ))}
      </div>
    </Dialog>
  )
}
