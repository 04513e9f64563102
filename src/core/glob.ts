/** A test for names in which `*` stands for any characters. Letter case never matters. Linear: pieces are found from left to right. */
export function glob(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*')
  const last = rest.pop()
  return (name) => {
    const text = name.toLowerCase()
    if (last === undefined) return text === first
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    let from = first.length
    for (const piece of rest) {
      const at = text.indexOf(piece, from)
      if (at < 0) return false
      from = at + piece.length
    }
    return from <= text.length - last.length
  }
}
