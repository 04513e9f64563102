import { RedriveError } from './errors.ts'
import { isExactNumber, isJsonList, isJsonObject, type Json } from './exact-json.ts'

/**
 * RFC 6902: a document changed by a list of operations, all of them or none. Objects are written anew and never assigned to, so that a
 * member called `__proto__` is a member.
 */
export function applyPatch(document: Json, patch: Json): Json {
  if (!isJsonList(patch)) throw new RedriveError('bad-option', 'A patch is a list of operations.')
  return patch.reduce<Json>(
    (changed, operation, index) => applied(changed, operation, `Operation ${index + 1} of the patch`),
    document,
  )
}

type Path = readonly string[]

function applied(document: Json, operation: Json, where: string): Json {
  if (!isJsonObject(operation)) throw bad(where, 'is no object')
  const path = pointer(operation, 'path', where)
  switch (own(operation, 'op')) {
    case 'add':
      return add(document, path, valueIn(operation, where), where)
    case 'remove':
      return remove(document, path, where)
    case 'replace':
      return replace(document, path, valueIn(operation, where), where)
    case 'move':
      return move(document, pointer(operation, 'from', where), path, where)
    case 'copy':
      return add(document, path, at(document, pointer(operation, 'from', where), where), where)
    case 'test':
      if (isSame(at(document, path, where), valueIn(operation, where))) return document
      throw new RedriveError('conflict', `${where}: the test fails; the document is not what the patch was written for.`)
    default:
      throw bad(where, 'has no op that is known. Allowed: add, remove, replace, move, copy, test')
  }
}

function move(document: Json, from: Path, to: Path, where: string): Json {
  const isInside = from.length < to.length && from.every((token, index) => token === to[index])
  if (isInside) throw bad(where, 'moves a value into itself')
  return add(remove(document, from, where), to, at(document, from, where), where)
}

function add(document: Json, path: Path, value: Json, where: string): Json {
  if (path.length === 0) return value
  return inParent(document, path, where, (parent, last) => {
    if (isJsonObject(parent)) return withMember(parent, last, value)
    const index = last === '-' ? parent.length : place(last, parent.length, where)
    return parent.toSpliced(index, 0, value)
  })
}

function remove(document: Json, path: Path, where: string): Json {
  if (path.length === 0) throw bad(where, 'removes the whole document')
  at(document, path, where)
  return inParent(document, path, where, (parent, last) =>
    isJsonObject(parent)
      ? Object.fromEntries(Object.entries(parent).filter(([name]) => name !== last))
      : parent.toSpliced(place(last, parent.length - 1, where), 1),
  )
}

function replace(document: Json, path: Path, value: Json, where: string): Json {
  at(document, path, where)
  if (path.length === 0) return value
  return inParent(document, path, where, (parent, last) =>
    isJsonObject(parent) ? withMember(parent, last, value) : parent.with(place(last, parent.length - 1, where), value),
  )
}

type Container = readonly Json[] | { readonly [name: string]: Json }

/** Rewrites the container that the last step of a path is in, and with it everything around that. */
function inParent(value: Json, path: Path, where: string, rewrite: (parent: Container, last: string) => Json): Json {
  const [step = '', ...rest] = path
  if (!isJsonObject(value) && !isJsonList(value)) throw bad(where, 'goes through a value that holds nothing')
  if (rest.length === 0) return rewrite(value, step)
  const inner = inParent(child(value, step, where), rest, where, rewrite)
  return isJsonObject(value) ? withMember(value, step, inner) : value.with(place(step, value.length - 1, where), inner)
}

/** In its place where there was one of that name, else at the end. */
function withMember(object: { readonly [name: string]: Json }, name: string, value: Json): Json {
  const entries = Object.entries(object)
  if (!Object.hasOwn(object, name)) return Object.fromEntries([...entries, [name, value]])
  return Object.fromEntries(entries.map(([key, old]) => [key, key === name ? value : old]))
}

function at(document: Json, path: Path, where: string): Json {
  return path.reduce<Json>((value, step) => child(value, step, where), document)
}

function child(value: Json, step: string, where: string): Json {
  const found = isJsonList(value)
    ? value[place(step, value.length - 1, where)]
    : isJsonObject(value)
      ? own(value, step)
      : undefined
  if (found === undefined) throw bad(where, 'points at what is not there')
  return found
}

function own(object: { readonly [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function place(step: string, last: number, where: string): number {
  if (/^(0|[1-9]\d{0,9})$/.test(step) && Number(step) <= last) return Number(step)
  throw bad(where, 'points at a place that its list does not have')
}

/** RFC 6901. */
function pointer(operation: { readonly [name: string]: Json }, name: 'path' | 'from', where: string): Path {
  const text = own(operation, name)
  if (typeof text !== 'string' || !/^(\/([^~]|~[01])*)?$/s.test(text))
    throw bad(where, `has no ${name} that is a JSON pointer, such as /card/number`)
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function valueIn(operation: { readonly [name: string]: Json }, where: string): Json {
  const value = own(operation, 'value')
  if (value === undefined) throw bad(where, 'has no value')
  return value
}

function isSame(one: Json, other: Json): boolean {
  if (isJsonList(one))
    return isJsonList(other) && one.length === other.length && one.every((item, index) => isSame(item, other[index] ?? null))
  if (isJsonObject(one)) return isJsonObject(other) && haveSameMembers(one, other)
  return scalar(one) === scalar(other)
}

function haveSameMembers(one: { readonly [name: string]: Json }, other: { readonly [name: string]: Json }): boolean {
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name] ?? null, other[name] ?? null))
  )
}

/** Numbers are the same where they are numerically; where they are too long for that, where they are written alike. */
function scalar(value: Json): unknown {
  if (!isExactNumber(value)) return value
  const number = Number(value.rawJSON)
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(value.rawJSON) ? number : `number ${value.rawJSON}`
}

function bad(where: string, problem: string): RedriveError {
  return new RedriveError('bad-option', `${where} ${problem}.`)
}
