import { table } from './generated-sections.ts'
import type { SourceFile } from './source-files.ts'

interface Decision {
  readonly slug: string
  readonly title: string
  readonly status: string
  readonly date: string
  readonly summary: string
}

/** The index of the decision records, from their front matter; the file name is a record's identity. */
export function adrIndex(files: readonly SourceFile[]): string {
  const decisions = files.filter(({ path }) => !path.endsWith('README.md')).map(readDecision)
  return table(
    ['Decision', 'Status', 'Date', 'Summary'],
    decisions.map(({ slug, title, status, date, summary }) => [`[${title}](${slug}.md)`, status, date, summary]),
  )
}

function readDecision({ path, text }: SourceFile): Decision {
  const [, frontMatter = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? []
  const field = (name: string): string => required(new RegExp(`^${name}: (.+)$`, 'm').exec(frontMatter)?.[1], path, name)
  return {
    slug: path.replace(/^.*\/(.+)\.md$/, '$1'),
    title: required(/^# (.+)$/m.exec(body)?.[1], path, 'a title'),
    status: field('status'),
    date: field('date'),
    summary: field('summary'),
  }
}

function required(value: string | undefined, path: string, what: string): string {
  if (value !== undefined) return value
  throw new Error(`${path} has no ${what}: a decision record starts with front matter (status, date, summary) and a title.`)
}
