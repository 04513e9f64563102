/** The line of an example below which its page shows nothing. */
const end = /^\/\/ The (README|page) shows everything above\./

/** Inside the repository the example imports the source; its reader imports the package. */
const packageNames: readonly (readonly [source: string, name: string])[] = [
  ["'../../src/redrive.ts'", "'redrive'"],
  ["'../../src/transports/embedded/embedded.ts'", "'redrive/embedded'"],
  ["'../../src/transports/memory/memory.ts'", "'redrive/memory'"],
  ["'../../src/claim-check/folder-store.ts'", "'redrive/claim-check/folder'"],
]

/** The part of an example that its page shows, as somebody who installed the package writes it. */
export function shownExample(source: string): string {
  const lines = source.split('\n')
  const last = lines.findIndex((line) => end.test(line))
  if (last < 0) throw new Error('The example has no line "// The page shows everything above."')
  const shown = lines.slice(0, last).join('\n').trim()
  return packageNames.reduce((text, [from, to]) => text.replaceAll(from, to), shown)
}
