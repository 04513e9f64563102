/** Deeper than this the left edge is out of sight. */
const deepest = 40

/** XML with an element on each line, for reading alone; `undefined` for what does not fit together, such as HTML without end tags. */
export function xmlLines(text: string): string | undefined {
  if (!/^\s*<[?!a-zA-Z_]/.test(text)) return undefined
  const pieces = piecesOf(text)
  if (!pieces) return undefined
  const lines: string[] = []
  const open: string[] = []
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] ?? ''
    if (kindOf(piece) === 'close' && open.pop() !== nameOf(piece)) return undefined
    const element = wholeElement(pieces, at)
    lines.push('  '.repeat(Math.min(open.length, deepest)) + (element?.join('') ?? piece))
    if (element) at += element.length - 1
    else if (kindOf(piece) === 'open') open.push(nameOf(piece))
  }
  return open.length === 0 ? lines.join('\n') : undefined
}

/** Tags, comments and what stands between them; `undefined` where one has no end. Each character is looked at once, whatever the text is. */
function piecesOf(text: string): readonly string[] | undefined {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = text[at] === '<' ? endOfTag(text, at) : endOfText(text, at)
    if (end === undefined) return undefined
    const piece = text.slice(at, end).trim()
    if (piece !== '') pieces.push(piece)
    at = end
  }
  return pieces
}

function endOfText(text: string, at: number): number {
  const next = text.indexOf('<', at)
  return next < 0 ? text.length : next
}

function endOfTag(text: string, at: number): number | undefined {
  if (text.startsWith('<!--', at)) return behind(text, '-->', at + 4)
  if (text.startsWith('<![CDATA[', at)) return behind(text, ']]>', at)
  for (let next = at + 1; next < text.length; next++) {
    const character = text[next] ?? ''
    if (character === '>') return next + 1
    if (character !== '"' && character !== "'") continue
    const closing = text.indexOf(character, next + 1)
    if (closing < 0) return undefined
    next = closing
  }
  return undefined
}

function behind(text: string, sign: string, from: number): number | undefined {
  const at = text.indexOf(sign, from)
  return at < 0 ? undefined : at + sign.length
}

/** An element that holds a text or nothing, and stands on one line. */
function wholeElement(pieces: readonly string[], at: number): readonly string[] | undefined {
  const length = kindOf(pieces[at + 1] ?? '') === 'text' ? 3 : 2
  const [first = '', last = ''] = [pieces[at], pieces[at + length - 1]]
  const isWhole = kindOf(first) === 'open' && kindOf(last) === 'close' && nameOf(first) === nameOf(last)
  return isWhole ? pieces.slice(at, at + length) : undefined
}

function kindOf(piece: string): 'open' | 'close' | 'alone' | 'text' {
  if (!piece.startsWith('<')) return 'text'
  if (piece.startsWith('</')) return 'close'
  return piece.endsWith('/>') || /^<[?!]/.test(piece) ? 'alone' : 'open'
}

function nameOf(tag: string): string {
  return /^<\/?([^\s/>]+)/.exec(tag)?.[1] ?? ''
}
