import { RedriveError } from '../core/errors.ts'
import { visible } from '../core/visible.ts'

/** One mistake in a configuration file. Lines and columns count from 1, as editors do. */
export interface Mistake {
  readonly line: number
  readonly column: number
  /** Where in the document, such as `sources[0].channel`; empty for the document itself. */
  readonly path: string
  /** What is wrong and what is allowed. Never a secret. */
  readonly problem: string
}

/** More are not read before the first ones are corrected. */
const mostShown = 50

/** A configuration file with mistakes: all of them, in the order in which they stand there. */
export class ConfigError extends RedriveError {
  readonly file: string
  readonly mistakes: readonly Mistake[]

  constructor(file: string, mistakes: readonly Mistake[]) {
    const ordered = mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column)
    const lines = ordered.map(({ line, column, problem }) => visible(`${file}:${line}:${column}: ${problem}`))
    const more = lines.length - mostShown
    super('bad-config', [...lines.slice(0, mostShown), ...(more > 0 ? [`${file}: and ${more} more.`] : [])].join('\n'))
    this.name = 'ConfigError'
    this.file = file
    this.mistakes = ordered
  }
}
