import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import { show } from '../core/shown-value.ts'
import type { Mistake } from './config-error.ts'
import { type Environment, fillPlaceholders } from './environment.ts'
import { type Path, pathText } from './path.ts'
import { tellSyntaxMistakes } from './yaml-problems.ts'

/** What nobody writes by hand, and what aliases of aliases make within a few lines. */
const limits = { depth: 32, values: 10_000, aliases: 100 }

/** A YAML document as plain values, and where each of them stands. */
export interface YamlTree {
  /** With the placeholders filled. A key without a value is left out. */
  readonly value: unknown
  readonly mistakes: readonly Mistake[]
  /** A value as it stands in the file; `undefined` for mappings, lists and what is not there. */
  written(path: Path): Written | undefined
  /** The place of the value, or of the nearest one around it where there is none. */
  placeOf(path: Path): Place
  /** The place of its key, where it has one. */
  placeOfKey(path: Path): Place
}

export interface Written {
  /** Before anything was filled. */
  readonly value: unknown
  readonly isFilled: boolean
}

export interface Place {
  readonly line: number
  readonly column: number
}

export type FailAt = (offset: number, path: Path, problem: string) => void

interface Spot {
  readonly key?: number
  readonly value: number
  readonly written?: Written
}

/** What one walk through a document knows and gathers. */
interface Walk {
  readonly document: Document
  readonly environment: Environment
  readonly spots: Map<string, Spot>
  readonly fail: FailAt
  values: number
  aliases: number
  /** Beyond a limit there is no document to speak of. */
  isOverrun: boolean
}

/** Where the walk stands. An alias stands where it is written, and not where its anchor is. */
interface Here {
  readonly path: Path
  readonly depth: number
  readonly key?: number
  readonly alias?: number
}

/** Reads one document of YAML 1.2 without tags. Whatever the text is, it gives a tree: mistakes are told, not thrown. */
export function readYaml(text: string, environment: Environment): YamlTree {
  const lines = new LineCounter()
  const options = {
    version: '1.2',
    schema: 'core',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter: lines,
  } as const
  const document = parseDocument(text, options)
  const mistakes: Mistake[] = []
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const fail: FailAt = (offset, path, problem) => {
    mistakes.push({ ...placeAt(offset), path: pathText(path), problem })
  }
  const walk: Walk = { document, environment, spots: new Map(), fail, values: 0, aliases: 0, isOverrun: false }
  const isReadable = !tellSyntaxMistakes(document, (offset) => placeAt(offset).line, fail)
  const value = isReadable ? plainOf(walk, document.contents, { path: [], depth: 0 }) : undefined
  const spotOf = (path: Path): Spot =>
    walk.spots.get(JSON.stringify(path)) ?? (path.length === 0 ? { value: 0 } : spotOf(path.slice(0, -1)))
  return {
    value: walk.isOverrun ? undefined : value,
    mistakes,
    written: (path) => walk.spots.get(JSON.stringify(path))?.written,
    placeOf: (path) => placeAt(spotOf(path).value),
    placeOfKey: (path) => placeAt(spotOf(path).key ?? spotOf(path).value),
  }
}

function plainOf(walk: Walk, node: unknown, here: Here): unknown {
  if (walk.isOverrun) return undefined
  if (isAlias(node)) return aliasedValue(walk, node, here)
  if (!isMap(node) && !isSeq(node) && !isScalar(node)) return undefined
  const offset = here.alias ?? node.range?.[0] ?? 0
  if (++walk.values > limits.values) return overrun(walk, offset, here, `The file holds more than ${limits.values} values.`)
  if (here.depth > limits.depth) return overrun(walk, offset, here, `This is nested more than ${limits.depth} deep.`)
  note(walk, here, { value: offset })
  if (node.tag !== undefined) return refuse(walk, offset, here, 'Tags, such as !!js/function, have no meaning here.')
  if (isMap(node)) return mappingOf(walk, node, here)
  if (isSeq(node)) return node.items.map((item, index) => plainOf(walk, item, inside(here, index)))
  return typeof node.value === 'string' ? filledText(walk, node.value, offset, here) : scalarOf(walk, node.value, offset, here)
}

function refuse(walk: Walk, offset: number, { path }: Here, problem: string): undefined {
  walk.fail(offset, path, problem)
}

/** Ends the walk: a file that is made to hurt is not looked at any further. */
function overrun(walk: Walk, offset: number, here: Here, problem: string): undefined {
  walk.isOverrun = true
  refuse(walk, offset, here, problem)
}

function note({ spots }: Walk, { path, key }: Here, spot: Spot): void {
  spots.set(JSON.stringify(path), { ...(key !== undefined && { key }), ...spot })
}

function inside({ path, depth, alias }: Here, step: string | number, key?: number): Here {
  return { path: [...path, step], depth: depth + 1, ...(key !== undefined && { key }), ...(alias !== undefined && { alias }) }
}

function aliasedValue(walk: Walk, node: Node, here: Here): unknown {
  const offset = here.alias ?? node.range?.[0] ?? 0
  if (++walk.aliases > limits.aliases) return overrun(walk, offset, here, `The file uses more than ${limits.aliases} aliases.`)
  const target = isAlias(node) ? node.resolve(walk.document) : undefined
  if (target === undefined) return refuse(walk, offset, here, 'There is no anchor of this name before this alias.')
  return plainOf(walk, target, { ...here, alias: offset, depth: here.depth + 1 })
}

function mappingOf(walk: Walk, { items }: YAMLMap, here: Here): Readonly<Record<string, unknown>> {
  const entries = new Map<string, unknown>()
  const seen = new Set<string>()
  for (const pair of items) {
    const name = nameOf(walk, pair, here, seen)
    if (name === undefined) continue
    const value = plainOf(walk, pair.value, inside(here, name, here.alias ?? offsetOf(pair.key)))
    if (value !== undefined) entries.set(name, value)
  }
  return Object.fromEntries(entries)
}

function nameOf(walk: Walk, { key }: Pair, here: Here, seen: Set<string>): string | undefined {
  const offset = here.alias ?? offsetOf(key)
  const name = isScalar(key) && key.tag === undefined && key.value !== null ? String(key.value) : undefined
  if (name === undefined || name === '__proto__') return refuse(walk, offset, here, 'This cannot be a key.')
  if (seen.has(name)) return refuse(walk, offset, here, `The key ${show(name)} stands twice in one mapping.`)
  seen.add(name)
  return name
}

function offsetOf(key: unknown): number {
  return (key as Partial<Node> | null)?.range?.[0] ?? 0
}

function filledText(walk: Walk, written: string, offset: number, here: Here): string | undefined {
  const { text, isFilled, missing } = fillPlaceholders(written, walk.environment)
  note(walk, here, { value: offset, written: { value: written, isFilled } })
  for (const name of new Set(missing)) {
    const advice = `Set it, or write a default: \${${name}:-…}.`
    walk.fail(offset, here.path, `${pathText(here.path)} needs the environment variable ${name}, which is not set. ${advice}`)
  }
  return missing.length === 0 ? text : undefined
}

function scalarOf(walk: Walk, value: unknown, offset: number, here: Here): unknown {
  note(walk, here, { value: offset, written: { value, isFilled: false } })
  return value ?? undefined
}
