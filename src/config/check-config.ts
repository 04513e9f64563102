import type { z } from 'zod'
import { nearest } from '../core/nearest.ts'
import { show } from '../core/shown-value.ts'
import type { Mistake } from './config-error.ts'
import { keysAt } from './json-schema.ts'
import { isSecret, maySaySecret, type Path, pathText } from './path.ts'
import { configSchema, type WrittenConfig } from './schema.ts'
import type { Place, YamlTree } from './yaml-tree.ts'

export interface Checked {
  /** `undefined` when there are mistakes. */
  readonly written: WrittenConfig | undefined
  readonly mistakes: readonly Mistake[]
}

/** Compares the document with the schema, and tells every difference. */
export function checkConfig(tree: YamlTree): Checked {
  const result = configSchema.safeParse(tree.value)
  if (result.success) return { written: result.data, mistakes: [] }
  return { written: undefined, mistakes: result.error.issues.flatMap((issue) => mistakesOf(tree, issue)) }
}

function mistakesOf(tree: YamlTree, issue: z.core.$ZodIssue): readonly Mistake[] {
  const path = issue.path as Path
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(tree, [...path, key]))
  if (issue.code === 'invalid_key')
    return [mistakeAt(tree.placeOfKey(path), path, `${show(path.at(-1))} cannot be a name here. Allowed: ${issue.message}.`)]
  return [badValue(tree, path, issue.message, issue.code === 'invalid_value' ? issue.values.map(String) : [])]
}

function unknownKey(tree: YamlTree, path: Path): Mistake {
  const allowed = keysAt(path.slice(0, -1))
  const hint = hintAt(allowed, path.at(-1))
  return mistakeAt(tree.placeOfKey(path), path, `${pathText(path)} is not an option.${hint} Allowed: ${allowed.join(', ')}.`)
}

/** `allowed` says what may stand there; `words` are those of which one may have been meant. */
function badValue(tree: YamlTree, path: Path, allowed: string, words: readonly string[]): Mistake {
  const name = path.length === 0 ? 'The file' : pathText(path)
  const hint = hintAt(words, valueAt(tree.value, path))
  return mistakeAt(tree.placeOf(path), path, `${name} ${whatIsThere(tree, path)}${hint} Allowed: ${allowed}.`)
}

export function hintAt(words: readonly string[], found: unknown): string {
  const meant = typeof found === 'string' ? nearest(found, words) : undefined
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}

export function mistakeAt({ line, column }: Place, path: Path, problem: string): Mistake {
  return { line, column, path: pathText(path), problem }
}

/** A value that the mistake names, unless it came from the environment: then what it was to be filled from. */
export function shownAt(tree: YamlTree, path: Path): string {
  const written = tree.written(path)
  return show(written?.isFilled === true ? written.value : valueAt(tree.value, path))
}

/** What stands there, as far as it may be shown: what the environment filled in, and what may hold a password, is not. */
function whatIsThere(tree: YamlTree, path: Path): string {
  const found = valueAt(tree.value, path)
  if (found === undefined) return path.length === 0 ? 'is empty.' : 'is missing; it must be given.'
  if (isSecret(path) || (typeof found === 'string' && maySaySecret(path)))
    return 'is something else, which is not shown since it may be a secret.'
  const isFilled = tree.written(path)?.isFilled === true
  return isFilled ? `is ${shownAt(tree, path)}, which the environment fills with something else.` : `is ${show(found)}.`
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, step) => {
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, step)
    return isThere ? (found as Readonly<Record<string | number, unknown>>)[step] : undefined
  }, value)
}
