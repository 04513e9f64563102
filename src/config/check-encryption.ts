import type { Filter } from '../core/filter/filter.ts'
import { parseFilter } from '../core/filter/parse-filter.ts'
import { isArray } from '../core/wary.ts'
import { mistakeAt, valueAt } from './check-config.ts'
import type { Mistake } from './config-error.ts'
import { pathText } from './path.ts'
import type { YamlTree } from './yaml-tree.ts'

/** What asks for bodies and headers in clear while they are sealed: their words would undo it, and filters would find nothing. */
export function* checkEncryption(tree: YamlTree): Generator<Mistake> {
  if (valueAt(tree.value, ['encryption']) === undefined) return
  for (const index of indexesOf(tree, 'sources')) {
    const path = ['sources', index, 'searchBodies']
    if (String(valueAt(tree.value, path)) !== 'true') continue
    const problem = 'would keep the words of bodies in clear, beside bodies that encryption seals. Take away one of both.'
    yield mistakeAt(tree.placeOf(path), path, `${pathText(path)} ${problem}`)
  }
  for (const index of indexesOf(tree, 'triage')) {
    const path = ['triage', index, 'filter']
    if (!asksForContent(valueAt(tree.value, path))) continue
    const problem = 'asks for headers or bodies, which encryption seals: it would find nothing. Use other fields.'
    yield mistakeAt(tree.placeOf(path), path, `${pathText(path)} ${problem}`)
  }
}

function indexesOf(tree: YamlTree, list: string): Iterable<number> {
  const found = valueAt(tree.value, [list])
  return isArray(found) ? found.keys() : []
}

function asksForContent(written: unknown): boolean {
  if (typeof written !== 'string') return false
  try {
    return isAbout(parseFilter(written))
  } catch {
    // That it cannot be read is another mistake, and told as that.
    return false
  }
}

function isAbout(filter: Filter): boolean {
  if (filter.kind === 'all' || filter.kind === 'any') return filter.of.some(isAbout)
  if (filter.kind === 'not') return isAbout(filter.of)
  return filter.kind === 'header' || (filter.kind === 'text' && filter.where === 'body')
}
