const token = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g

/** The first key that stands twice in one object. The parser would let the last one win without a word. `json` must be valid. */
export function duplicateKey(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let text: string | undefined
  for (const [part] of json.matchAll(token)) {
    if (part === '{') open.push(new Set())
    else if (part === '[') open.push(undefined)
    else if (part === '}' || part === ']') open.pop()
    else if (part !== ':') text = part
    else if (text !== undefined) {
      const [key, keys] = [JSON.parse(text) as string, open.at(-1)]
      if (keys?.has(key)) return key
      keys?.add(key)
    }
  }
  return undefined
}
