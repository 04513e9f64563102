/**
 * The text of a JSON object without some members of its own, for whoever looks for words in it: what is left stays to the digit as it is
 * written, and is no JSON any more. Objects and lists are left where they are, because only their owner knows what is in them.
 */
export function withoutMembers(json: string, isLeftOut: (name: string) => boolean): string {
  const kept: string[] = []
  let from = 0
  for (const { name, at, end } of simpleMembers(json)) {
    if (!isLeftOut(name)) continue
    kept.push(json.slice(from, at))
    from = end
  }
  return [...kept, json.slice(from)].join('')
}

interface Member {
  readonly name: string
  readonly at: number
  readonly end: number
}

/** From the name up to the comma or bracket behind the value. */
function* simpleMembers(json: string): Generator<Member> {
  let depth = 0
  let text = { at: 0, end: 0 }
  let name: typeof text | undefined
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (character === '"') {
      text = { at, end: endOfText(json, at) }
      at = text.end - 1
    } else if (character === '{' || character === '[') {
      depth++
      name = undefined
    } else if (character === ':' && depth === 1) name = text
    else if (character === ',' || character === '}' || character === ']') {
      if (name) yield { name: JSON.parse(json.slice(name.at, name.end)), at: name.at, end: at }
      name = undefined
      if (character !== ',') depth--
    }
  }
}

function endOfText(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}
