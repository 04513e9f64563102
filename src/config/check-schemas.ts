import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { BodyCheck } from '../core/body-check.ts'
import { isArray } from '../core/wary.ts'
import { mistakeAt, shownAt, valueAt } from './check-config.ts'
import type { Mistake } from './config-error.ts'
import { type Path, pathText } from './path.ts'
import type { YamlTree } from './yaml-tree.ts'

export interface Schemas {
  readonly mistakes: readonly Mistake[]
  /** By the absolute path of the file. */
  readonly checks: ReadonlyMap<string, BodyCheck>
}

/** Reads every schema that a source names. The library that understands them is only loaded where there is one. */
export async function readSchemas(tree: YamlTree, folder: string): Promise<Schemas> {
  const mistakes: Mistake[] = []
  const checks = new Map<string, BodyCheck>()
  for (const { path, file } of namedFiles(tree)) {
    const absolute = resolve(folder, file)
    if (checks.has(absolute)) continue
    const found = await schemaIn(absolute)
    if (typeof found === 'function') checks.set(absolute, found)
    else mistakes.push(mistakeAt(tree.placeOf(path), path, `${pathText(path)} is ${shownAt(tree, path)}, ${found.problem}`))
  }
  return { mistakes, checks }
}

function* namedFiles(tree: YamlTree): Generator<{ readonly path: Path; readonly file: string }> {
  const sources = valueAt(tree.value, ['sources'])
  for (const index of isArray(sources) ? sources.keys() : []) {
    const schemas = Object(valueAt(tree.value, ['sources', index, 'schemas']) ?? {}) as Readonly<Record<string, unknown>>
    for (const [type, file] of Object.entries(schemas))
      if (typeof file === 'string') yield { path: ['sources', index, 'schemas', type], file }
  }
}

async function schemaIn(file: string): Promise<BodyCheck | { readonly problem: string }> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return { problem: 'which cannot be read. Name a file with a JSON Schema.' }
  const schema = jsonIn(text)
  if (typeof schema !== 'object' || schema === null)
    return { problem: 'which is no JSON object. Name a file with a JSON Schema.' }
  const { compileSchema } = await import('../platform/json-schema.ts')
  try {
    return compileSchema(schema)
  } catch (error) {
    return {
      problem: `which is no JSON Schema of draft 7 or 2020-12: ${error instanceof Error ? error.message : String(error)}.`,
    }
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
