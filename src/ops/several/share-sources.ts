import { codeOf, hasCode } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { keyOfSource } from '../../vault/operations/sources.ts'
import type { Holding, Sharing, Term } from '../../vault/turns.ts'
import type { Change } from '../control-plane.ts'
import { notingLoss } from '../note-loss.ts'
import { isReadable, readSource } from '../read-source.ts'
import { nameOf, queueOf } from '../source.ts'
import type { ConfiguredSource } from '../sources.ts'
import type { CollectedSource } from './duty.ts'

/** Sources, as what is divided among control planes. */
export interface SharedSources extends Sharing {
  /** Who collects which, as the vault knows it. */
  collectedBy(holders: ReadonlyMap<string, Holding>): readonly CollectedSource[]
}

export interface ShareOptions {
  readonly clock: Clock
  readonly draw: (bytes: number) => Uint8Array
  readonly tell: (change: Change) => void
  /** This one collects it from now on, or not any more. */
  readonly onCollecting?: (source: string, collects: boolean) => void
}

/** A letter is durable before its broker forgets it: what is written by one that was replaced is refused, and given back to the broker. */
export function shareSources(sources: readonly ConfiguredSource[], options: ShareOptions): SharedSources {
  const { clock, draw, tell, onCollecting = () => {} } = options
  const byKey = new Map(sources.filter(isReadable).map((source) => [keyOfSource(nameOf(source)), source]))

  async function work(share: string, { vault }: Term): Promise<() => Promise<void>> {
    const source = byKey.get(share)
    if (!source) throw new Error(`There is no source ${share}.`)
    let isEnding = false
    const problem = (where: string) => (error: unknown) => {
      // What fails because another one collects it is no news.
      if (!isEnding && !hasCode(error, 'conflict')) tell({ kind: 'problem', source: where, code: codeOf(error) })
    }
    const collector = readSource(notingLoss(source, vault), { vault, clock, draw, tell, problem })
    const name = `${source.connection}/${queueOf(source.address)}`
    onCollecting(name, true)
    return async () => {
      isEnding = true
      await collector.stop()
      onCollecting(name, false)
    }
  }

  return {
    shares: [...byKey.keys()],
    work,
    collectedBy: (holders) => [...byKey].map(([share, source]) => ({ ...nameOf(source), collector: onDuty(holders.get(share)) })),
  }
}

function onDuty(holding: Holding | undefined): CollectedSource['collector'] {
  return holding ? { name: holding.name, since: holding.since } : null
}
