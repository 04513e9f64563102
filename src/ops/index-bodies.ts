import type { Vault } from '../vault/vault.ts'
import type { Collector } from './collect.ts'
import { nameOf } from './source.ts'
import type { ConfiguredSource } from './sources.ts'

/** Bodies at a time: other writers have their turn in between. */
const most = 100

export interface BodyIndexer extends Collector {
  /** There may be letters whose bodies nobody can search yet. */
  wake(): void
}

/**
 * Makes bodies searchable after their letters are kept, and never before: an index that is slow or fails holds up nobody. It starts where it
 * ended, also in another process.
 */
export function indexBodies(
  sources: readonly ConfiguredSource[],
  vault: Vault,
  onProblem: (error: unknown) => void,
): BodyIndexer {
  const searched = sources.filter(({ searchBodies }) => searchBodies)
  let hasBegun = false
  let isStopping = false
  let isWanted = false
  let running: Promise<void> | undefined

  async function begin(): Promise<void> {
    const ids: number[] = []
    for (const source of searched) ids.push((await vault.write('registerSource', nameOf(source))).id)
    await vault.write('searchBodiesOf', { sources: ids })
    hasBegun = true
  }

  async function run(): Promise<void> {
    try {
      if (!hasBegun) await begin()
      // Where nobody's bodies are searched, nobody who writes is kept waiting for it.
      while (isWanted && !isStopping && searched.length > 0) {
        isWanted = false
        while (!isStopping && !(await vault.write('indexBodies', { most })).done);
      }
    } catch (error) {
      onProblem(error)
    } finally {
      running = undefined
    }
  }

  const indexer: BodyIndexer = {
    wake() {
      isWanted = true
      running ??= run()
    },
    async stop() {
      isStopping = true
      await running
    },
  }
  indexer.wake()
  return indexer
}
