/** Up to here the search of the engine is used: its worst case is the product of both lengths, which a short piece keeps small. */
const shortPiece = 32

/** `text.indexOf(piece, from)` in time that grows with the sum of the lengths and not with their product, whatever both hold. */
export function findText(text: string, piece: string, from: number): number {
  return piece.length <= shortPiece ? text.indexOf(piece, from) : findWithoutGoingBack(text, piece, from)
}

/** Knuth, Morris and Pratt: after a mismatch, what has matched already says where the piece can begin next. */
export function findWithoutGoingBack(text: string, piece: string, from: number): number {
  const shorter = bordersOf(piece)
  let matched = 0
  for (let at = from; at < text.length && matched < piece.length; at++) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && unit !== piece.charCodeAt(matched)) matched = shorter[matched - 1] ?? 0
    if (unit === piece.charCodeAt(matched)) matched++
    if (matched === piece.length) return at + 1 - matched
  }
  return piece.length === 0 ? Math.min(from, text.length) : -1
}

/** For each beginning of the piece, how long a shorter beginning it also ends with. */
function bordersOf(piece: string): Uint32Array {
  const borders = new Uint32Array(piece.length)
  for (let at = 1, border = 0; at < piece.length; at++) {
    while (border > 0 && piece.charCodeAt(at) !== piece.charCodeAt(border)) border = borders[border - 1] ?? 0
    if (piece.charCodeAt(at) === piece.charCodeAt(border)) border++
    borders[at] = border
  }
  return borders
}
