import { RedriveError } from '../core/errors.ts'
import { readOtlp } from '../outgoing/otlp-target.ts'
import { valueAt } from './check-config.ts'
import { toldBy } from './check-connections.ts'
import type { Mistake } from './config-error.ts'
import type { YamlTree } from './yaml-tree.ts'

/** What a schema cannot say about a collector: where it may be, and what headers can carry. Nothing is opened. */
export function* checkOtlp(tree: YamlTree): Generator<Mistake> {
  const written = valueAt(tree.value, ['otlp'])
  if (typeof written !== 'object' || written === null) return
  try {
    readOtlp(written)
  } catch (error) {
    if (!(error instanceof RedriveError)) throw error
    yield toldBy(tree, ['otlp'], 'otlp', error.message)
  }
}
