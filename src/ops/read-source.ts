import type { Changes } from './changes.ts'
import { type CollectOptions, type Collector, collect } from './collect.ts'
import type { Change } from './control-plane.ts'
import { follow } from './follow.ts'
import { rescue } from './rescue.ts'
import type { ConfiguredSource } from './sources.ts'

export interface ReadingOptions extends Pick<CollectOptions, 'vault' | 'clock' | 'draw' | 'room'> {
  readonly tell: (change: Change) => void
  readonly problem: Changes['problem']
  /** What follows from it where whoever reads does everything else as well. */
  readonly onKept?: (letters: readonly number[]) => void
}

/** Empties a source into the vault, copies it or watches over it, as its mode says, and tells what came. */
export function readSource(source: ConfiguredSource, { tell, problem, onKept, ...options }: ReadingOptions): Collector {
  const read = { collect, follow, watch: rescue }[source.mode]
  return read(source, {
    ...options,
    onKept({ source: id, letters, reopenedCauses }) {
      tell({ kind: 'letters', source: id, letters: letters.length })
      for (const cause of reopenedCauses) tell({ kind: 'cause', cause })
      onKept?.(letters)
    },
    onProblem: problem(source.address.name),
  })
}

/** What can only be watched is only counted, when somebody asks. */
export function isReadable({ mode, transport }: ConfiguredSource): boolean {
  return mode !== 'watch' || transport.capabilities.browse === 'cursor'
}
