import { isArray } from '../core/wary.ts'
import { hintAt, mistakeAt, shownAt, valueAt } from './check-config.ts'
import { checkTriage } from './check-triage.ts'
import type { Mistake } from './config-error.ts'
import { type Path, pathText } from './path.ts'
import type { YamlTree } from './yaml-tree.ts'

/**
 * What a schema cannot say: that a name is one of those given elsewhere, and that no source stands there twice or is its own way back. It looks at the document
 * as it was written, so that these mistakes are told together with all others.
 */
export function* checkReferences(tree: YamlTree): Generator<Mistake> {
  yield* checkTriage(tree)
  const sources = valueAt(tree.value, ['sources'])
  const names = Object.keys(Object(valueAt(tree.value, ['connections']) ?? {}))
  const seen = new Map<string, number>()
  for (const index of isArray(sources) ? sources.keys() : []) {
    const path = ['sources', index] as const
    yield* unknownConnection(tree, [...path, 'connection'], names)
    yield* unknownConnection(tree, [...path, 'returnTo', 'connection'], names)
    yield* leadsBack(tree, path)
    yield* twice(tree, path, seen)
  }
}

function* unknownConnection(tree: YamlTree, path: Path, names: readonly string[]): Generator<Mistake> {
  const name = valueAt(tree.value, path)
  if (typeof name !== 'string' || names.includes(name)) return
  const hint = hintAt(names, name)
  const allowed = names.length === 0 ? 'There are none; add one under connections.' : `Allowed: ${names.join(', ')}.`
  yield mistakeAt(
    tree.placeOf(path),
    path,
    `${pathText(path)} is ${shownAt(tree, path)}, which is none of the connections.${hint} ${allowed}`,
  )
}

/** A replay into the dead-letter channel would collect its own letters without end. */
function* leadsBack(tree: YamlTree, path: Path): Generator<Mistake> {
  const at = (...steps: string[]): unknown => valueAt(tree.value, [...path, ...steps])
  const connection = at('returnTo', 'connection') ?? at('connection')
  const isSame = at('returnTo', 'channel') === at('channel') && connection === at('connection') && at('part') === undefined
  if (at('returnTo', 'channel') === undefined || !isSame) return
  const route = [...path, 'returnTo', 'channel']
  yield mistakeAt(
    tree.placeOf(route),
    route,
    `${pathText(route)} is the dead-letter channel itself: replays would come back as letters. Name the channel that the messages came from.`,
  )
}

function* twice(tree: YamlTree, path: Path, seen: Map<string, number>): Generator<Mistake> {
  const identity = ['connection', 'channel', 'part', 'group'].map((field) => valueAt(tree.value, [...path, field]))
  if (typeof identity[1] !== 'string') return
  const first = seen.get(JSON.stringify(identity))
  if (first === undefined) seen.set(JSON.stringify(identity), Number(path[1]))
  else yield mistakeAt(tree.placeOf(path), path, `${pathText(path)} is the same source as sources[${first}]. Remove one of them.`)
}
