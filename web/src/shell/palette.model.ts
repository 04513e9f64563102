import type { Action } from './actions.tsx'
import { alertPlaces, places } from './places.ts'

export type PaletteEntry =
  | Action
  | { readonly name: string; readonly to: string; readonly key?: undefined; readonly reason?: undefined }

export function entriesFor(typed: string, actions: readonly Action[]): readonly PaletteEntry[] {
  const wanted = typed.trim().toLowerCase()
  const known: readonly PaletteEntry[] = [
    ...actions,
    ...[...places, ...alertPlaces.slice(1)].map(({ name, path }): PaletteEntry => ({ name: `Go to ${name}`, to: path })),
  ]
  const matching = known.filter(({ name }) => wanted.split(/\s+/).every((word) => name.toLowerCase().includes(word)))
  return [
    ...(/^\d+$/.test(wanted) ? [{ name: `Open letter ${wanted}`, to: `/letters/${wanted}` }] : []),
    ...matching,
    ...searchOf(typed),
  ]
}

function searchOf(typed: string): readonly PaletteEntry[] {
  const filter = typed.trim()
  if (filter === '') return []
  return [{ name: `Look for letters: ${filter}`, to: `/letters?${new URLSearchParams({ filter })}` }]
}
