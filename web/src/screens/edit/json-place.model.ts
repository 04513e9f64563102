/** A piece of a text, from its first character to behind its last. */
export interface Span {
  readonly from: number
  readonly to: number
}

const token = /[ \t\n\r]*([{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)/y

/** A text of JSON, cut into its signs, strings and words. */
function* tokensOf(text: string): Generator<Span & { readonly text: string }> {
  token.lastIndex = 0
  for (;;) {
    const [, found] = token.exec(text) ?? []
    if (found === undefined) return
    yield { text: found, from: token.lastIndex - found.length, to: token.lastIndex }
  }
}

/** A mapping or list that has begun and not ended. */
interface Open {
  readonly pointer: string
  readonly from: number
  readonly isList: boolean
  index: number
  name: Span & { readonly text: string }
}

/**
 * Where the value stands that a JSON pointer (RFC 6901) names; of a member of a mapping, its name too. `undefined` where there is no such value. It
 * takes no recursion, so that no depth is too deep.
 */
export function spanOf(text: string, pointer: string): Span | undefined {
  const open: Open[] = []
  let last: (Span & { readonly text: string }) | undefined
  for (const token of tokensOf(text)) {
    const around = open.at(-1)
    switch (token.text) {
      case '{':
      case '[':
        open.push({ pointer: pointerIn(around), from: startIn(around, token), isList: token.text === '[', index: 0, name: token })
        break
      case '}':
      case ']': {
        const ended = open.pop()
        if (ended?.pointer === pointer) return { from: ended.from, to: token.to }
        break
      }
      case ',':
        if (around) around.index++
        break
      case ':':
        if (around && last) around.name = last
        break
      default:
        if (!isName(text, token, around) && pointerIn(around) === pointer) return { from: startIn(around, token), to: token.to }
    }
    last = token
  }
  return undefined
}

/** Whether a mapping in a text of JSON has two members of one name. Of these whoever reads it takes one, and another reader perhaps the other. */
export function repeatsName(text: string): boolean {
  const open: (Set<unknown> | undefined)[] = []
  let last = ''
  for (const { text: token } of tokensOf(text)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const names = open.at(-1)
      const name: unknown = JSON.parse(last)
      if (names?.has(name)) return true
      names?.add(name)
    }
    last = token
  }
  return false
}

function isName(text: string, { to }: Span, around: Open | undefined): boolean {
  return around !== undefined && !around.isList && /^\s*:/.test(text.slice(to, to + 1000))
}

/** The pointer of the value that begins now. */
function pointerIn(around: Open | undefined): string {
  if (!around) return ''
  return `${around.pointer}/${around.isList ? around.index : escaped(JSON.parse(around.name.text) as string)}`
}

function startIn(around: Open | undefined, token: Span): number {
  return around && !around.isList ? around.name.from : token.from
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
