/** The line of the example below which the README shows nothing. */
const end = '// The README shows everything above.'

/** Inside the repository the example imports the source; its reader imports the package. */
const packageNames: readonly (readonly [source: string, name: string])[] = [
  ["'../../src/redrive.ts'", "'redrive'"],
  ["'../../src/transports/embedded/embedded.ts'", "'redrive/embedded'"],
]

/** The part of examples/01-first-consumer that the README shows, as somebody who installed the package writes it. */
export function readmeExample(source: string): string {
  const lines = source.split('\n')
  const last = lines.findIndex((line) => line.startsWith(end))
  if (last < 0) throw new Error(`The example has no line that starts with "${end}".`)
  const shown = lines.slice(0, last).join('\n').trim()
  return packageNames.reduce((text, [from, to]) => text.replaceAll(from, to), shown)
}
