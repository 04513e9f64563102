import { RedriveError } from '../core/errors.ts'
import { checkOptions } from '../transports/registry.ts'
import { mistakeAt, valueAt } from './check-config.ts'
import type { Mistake } from './config-error.ts'
import { isSecret, type Path, pathText } from './path.ts'
import type { YamlTree } from './yaml-tree.ts'

/** Lets every transport check its own options. Each tells the first mistake that it finds. */
export async function checkConnections(tree: YamlTree): Promise<readonly Mistake[]> {
  const connections = Object.entries(Object(valueAt(tree.value, ['connections']) ?? {}))
  const found = await Promise.all(
    connections.map(([name, connection]) => checkConnection(tree, ['connections', name], connection)),
  )
  return found.flat()
}

async function checkConnection(tree: YamlTree, path: Path, connection: unknown): Promise<readonly Mistake[]> {
  if (typeof connection !== 'object' || connection === null) return []
  const { transport, ...options } = connection as { readonly transport?: unknown }
  if (typeof transport !== 'string') return []
  try {
    await checkOptions(transport, options)
    return []
  } catch (error) {
    if (error instanceof RedriveError) return [toldBy(tree, path, transport, error.message)]
    throw error
  }
}

/** `rabbitmq: management.url is missing` is about `connections.shop.management.url`. */
export function toldBy(tree: YamlTree, path: Path, kind: string, message: string): Mistake {
  const about = message.startsWith(`${kind}: `) ? message.slice(kind.length + 2) : message
  const [, option] = /^([\w$-]+(?:\.[\w$-]+|\[\d+\])*) (?:is|needs|must) /.exec(about) ?? []
  if (option === undefined) return mistakeAt(tree.placeOf(path), path, `${pathText(path)}: ${about}`)
  const full = [...path, ...stepsOf(option)]
  const isAboutName = about.startsWith(`${option} is not an option.`)
  const place = isAboutName ? tree.placeOfKey(full) : tree.placeOf(full)
  return mistakeAt(place, full, `${pathText(path)}.${isAboutName ? about : withoutValue(tree, full, option, about)}`)
}

function stepsOf(option: string): Path {
  return option
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

/** A transport shows the value that it refuses. One that may be a secret is taken out again. */
function withoutValue(tree: YamlTree, path: Path, option: string, about: string): string {
  if (!isSecret(path) && tree.written(path)?.isFilled !== true) return about
  const [, allowed] = /^\S+ is (?!missing;).* Allowed: (.*)$/s.exec(about) ?? []
  return allowed === undefined
    ? about
    : `${option} is something else, which is not shown since it may be a secret. Allowed: ${allowed}`
}
