/** A test for names in which `*` stands for any characters. Linear: pieces are found from left to right. */
export function glob(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  return (name) => {
    if (last === undefined) return name === first
    if (!name.startsWith(first) || !name.endsWith(last)) return false
    let from = first.length
    for (const piece of rest) {
      const at = name.indexOf(piece, from)
      if (at < 0) return false
      from = at + piece.length
    }
    return from <= name.length - last.length
  }
}

/** The same where letter case means nothing. To brokers it does: two queues may differ in nothing else. */
export function globAnyCase(pattern: string): (name: string) => boolean {
  const matches = glob(pattern.toLowerCase())
  return (name) => matches(name.toLowerCase())
}
