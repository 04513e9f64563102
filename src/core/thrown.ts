import { isArray, isInstance, isObject, warilyRead } from './wary.ts'

/** How many errors of a chain are looked at: deeper causes explain nothing more, and hostile chains never end. */
const longestChain = 16
/** How much of a message is looked at, in characters: some errors quote a whole response. */
const longestMessage = 16_384
const longestName = 128

/** What was thrown, then its causes (and the errors of an AggregateError), outside in, each once. */
export function errorChain(thrown: unknown): readonly unknown[] {
  const chain = [thrown]
  for (let index = 0; index < chain.length; index++) {
    for (const inner of innerErrors(chain[index])) {
      if (chain.length === longestChain) return chain
      if (!chain.includes(inner)) chain.push(inner)
    }
  }
  return chain
}

function innerErrors(error: unknown): readonly unknown[] {
  const cause = warilyRead(error, 'cause')
  const siblings = isAggregate(error) ? firstItems(warilyRead(error, 'errors')) : []
  return cause === undefined || cause === null ? siblings : [cause, ...siblings]
}

/** Only there: other errors keep validation details under the same name, which are not errors. */
function isAggregate(error: unknown): boolean {
  return isInstance(error, AggregateError) || warilyRead(error, 'name') === 'AggregateError'
}

function firstItems(items: unknown): readonly unknown[] {
  if (!isArray(items)) return []
  const claimed = Number(warilyRead(items, 'length') ?? 0)
  return Array.from({ length: Math.min(claimed, longestChain) }, (_, index) => warilyRead(items, index))
}

/** The error's class name: the name it goes by, else that of its constructor, else `Error`. */
export function errorTypeOf(error: unknown): string {
  const name = nameOf(error)
  // A subclass that sets no name inherits `Error`; its constructor tells more.
  return (name === 'Error' ? undefined : name) ?? constructorNameOf(error) ?? 'Error'
}

/** Every name under which a rule may know the error. */
export function hasName(error: unknown, name: string): boolean {
  return nameOf(error) === name || constructorNameOf(error) === name
}

function nameOf(error: unknown): string | undefined {
  return shortText(warilyRead(error, 'name'))
}

function constructorNameOf(error: unknown): string | undefined {
  const name = shortText(warilyRead(warilyRead(error, 'constructor'), 'name'))
  return name === 'Object' || name === 'Function' ? undefined : name
}

/** Names become labels and headers, so they are cut. */
export function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? cut(value, longestName) : undefined
}

/** The error's own message, cut; for what is not an error, what it is. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === 'string') return cut(thrown, longestMessage)
  const message = warilyRead(thrown, 'message')
  if (typeof message === 'string') return cut(message, longestMessage)
  if (isObject(thrown) || typeof thrown === 'bigint') return `A value of type ${typeof thrown} without a message was thrown.`
  return cut(String(thrown), longestMessage)
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : text.slice(0, longest).toWellFormed()
}
