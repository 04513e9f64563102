import { hasCode } from '../core/errors.ts'
import { parseFilter } from '../core/filter/parse-filter.ts'
import { isArray } from '../core/wary.ts'
import { mistakeAt, valueAt } from './check-config.ts'
import type { Mistake } from './config-error.ts'
import { type Path, pathText } from './path.ts'
import type { YamlTree } from './yaml-tree.ts'

/** That a rule has a filter that can be read, does something, and has a name of its own. */
export function* checkTriage(tree: YamlTree): Generator<Mistake> {
  const rules = valueAt(tree.value, ['triage'])
  const names = new Map<unknown, number>()
  for (const index of isArray(rules) ? rules.keys() : []) {
    const path = ['triage', index] as const
    yield* badFilter(tree, [...path, 'filter'])
    yield* doesNothing(tree, path)
    const name = valueAt(tree.value, [...path, 'name'])
    const first = names.get(name)
    if (typeof name === 'string' && first !== undefined)
      yield mistakeAt(
        tree.placeOf([...path, 'name']),
        [...path, 'name'],
        `${pathText(path)} has the name of triage[${first}]. Give it another.`,
      )
    else names.set(name, index)
  }
}

function* badFilter(tree: YamlTree, path: Path): Generator<Mistake> {
  const filter = valueAt(tree.value, path)
  if (typeof filter !== 'string') return
  try {
    parseFilter(filter)
  } catch (error) {
    if (!hasCode(error, 'bad-filter') || !(error instanceof Error)) throw error
    // The lines behind the first one show the filter once more, which stands in the file already; what the environment filled is not shown.
    const [problem = ''] = tree.written(path)?.isFilled ? ['It comes from the environment.'] : error.message.split('\n')
    yield mistakeAt(tree.placeOf(path), path, `${pathText(path)} cannot be read. ${problem}`)
  }
}

function* doesNothing(tree: YamlTree, path: Path): Generator<Mistake> {
  const rule = valueAt(tree.value, path)
  if (typeof rule !== 'object' || rule === null || 'assign' in rule || 'replayOnRecovery' in rule) return
  if ('discard' in rule && String(rule.discard) === 'true') return
  yield mistakeAt(tree.placeOf(path), path, `${pathText(path)} does nothing. Give it assign, discard or replayOnRecovery.`)
}
