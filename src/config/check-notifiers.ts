import { RedriveError } from '../core/errors.ts'
import { createSink, type NotifierType, notifierTypes } from '../notifiers/kinds.ts'
import { systemClock } from '../platform/clock.ts'
import { valueAt } from './check-config.ts'
import { toldBy } from './check-connections.ts'
import type { Mistake } from './config-error.ts'
import type { YamlTree } from './yaml-tree.ts'

/** Lets every kind of notifier check its own options. Each tells the first mistake that it finds. Nothing is opened. */
export function* checkNotifiers(tree: YamlTree): Generator<Mistake> {
  for (const [name, written] of Object.entries(Object(valueAt(tree.value, ['notifiers']) ?? {}))) {
    if (typeof written !== 'object' || written === null) continue
    const { type, ...options } = written as { readonly type?: unknown }
    if (!isType(type)) continue
    try {
      createSink(name, type, options, { clock: systemClock })
    } catch (error) {
      if (!(error instanceof RedriveError)) throw error
      yield toldBy(tree, ['notifiers', name], type, error.message)
    }
  }
}

function isType(type: unknown): type is NotifierType {
  return (notifierTypes as readonly unknown[]).includes(type)
}
