/**
 * Many messages fail with the same words one after the other: keeps what a pure function made of the last text, so that it is not
 * made again.
 */
export function forLastText<T>(make: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly made: T } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, made: make(text) }
    return last.made
  }
}
