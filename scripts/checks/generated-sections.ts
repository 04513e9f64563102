/**
 * Parts of a page that code writes stand between two markers, so that people can write around them:
 *
 *   <!-- generated: name -->
 *   …
 *   <!-- end of generated: name -->
 */
const marker = /<!-- generated: ([\w-]+) -->\n[\s\S]*?<!-- end of generated: \1 -->/g

export function sectionNames(page: string): readonly string[] {
  return [...page.matchAll(marker)].map(([, name = '']) => name)
}

/** The page with every section written anew. Throws when a section has no writer, because then nobody keeps it true. */
export function withSections(page: string, contents: ReadonlyMap<string, string>): string {
  return page.replaceAll(marker, (_, name: string) => {
    const content = contents.get(name)
    if (content === undefined) throw new Error(`Nothing writes the generated section "${name}".`)
    return `<!-- generated: ${name} -->\n${content.trim()}\n<!-- end of generated: ${name} -->`
  })
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
