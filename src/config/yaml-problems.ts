import type { Document, ErrorCode } from 'yaml'
import type { FailAt } from './yaml-tree.ts'

/** What the parser itself says would quote the file, and with it perhaps a password. */
const problems: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_INDENT: 'The indentation is not that of what it belongs to, or a bracket is not closed.',
  BAD_DQ_ESCAPE: 'This escape does not exist in a text in double quotes. Single quotes take a backslash as it is.',
  BAD_DIRECTIVE: 'Directives have no meaning here.',
  BLOCK_AS_IMPLICIT_KEY: 'A mapping cannot begin on this line. A text with ": " in it must stand in quotes.',
  MISSING_CHAR: 'A quote, a bracket or a colon is missing.',
  MULTIPLE_DOCS: 'A second document begins here; the file must be one.',
  RESOURCE_EXHAUSTION: 'This is nested too deep.',
  TAB_AS_INDENT: 'Tabs cannot indent; use spaces.',
  UNEXPECTED_TOKEN:
    'This cannot stand here. In { } and [ ], a text with one of { } [ ] , in it must stand in quotes, and so must a placeholder.',
}

/** Tells the first mistake of each line, since those behind it mostly follow from it. Says whether there was any. */
export function tellSyntaxMistakes({ errors, directives }: Document, lineAt: (offset: number) => number, fail: FailAt): boolean {
  const lines = new Set<number>()
  for (const { code, pos } of errors) {
    const line = lineAt(pos[0])
    if (!lines.has(line)) fail(pos[0], [], problems[code] ?? 'This is not YAML.')
    lines.add(line)
  }
  if (lines.size === 0 && directives?.yaml.explicit === true) {
    fail(0, [], 'Directives have no meaning here: the file is YAML 1.2.')
    return true
  }
  return lines.size > 0
}
