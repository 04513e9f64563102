/** Headers for one publish, in a table that all publishes share. */
export interface LentHeaders {
  /** The table with these headers and no others. It is theirs until `takeBack`. */
  lend(headers: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** The library has written them. */
  takeBack(headers: Readonly<Record<string, unknown>>): void
}

/** Names that were used once are skipped at each publish after it: of so many, a new table is cheaper. */
const mostNames = 64

/**
 * The library makes the headers that it is given the prototype of a table of its own and reads them through that. An engine that has never
 * seen this prototype looks up each header the slow way, which is more than all else that a publish costs; one that was seen before is read like
 * any other object. Nothing is left behind for the next publish: the library writes headers before it returns, and leaves out what is undefined.
 */
export function createLentHeaders(): LentHeaders {
  let table: Record<string, unknown> = {}
  let names = new Set<string>()
  return {
    lend(headers) {
      if (names.size > mostNames) {
        table = {}
        names = new Set()
      }
      for (const name in headers) {
        table[name] = headers[name]
        names.add(name)
      }
      return table
    },
    takeBack(headers) {
      for (const name in headers) table[name] = undefined
    },
  }
}
