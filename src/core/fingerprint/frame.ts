/** One line of a stack trace, as far as it survives a deploy: no lines, no columns, no hashes of builds. */
export interface Frame {
  /** Without what compilers add; empty where it has none. */
  readonly function: string
  /** The file, class or package it stands in, without where that was deployed. */
  readonly module: string
  /** Whether it is code of the application, and not of a library or the runtime. */
  readonly inApp: boolean
}

export type StackLanguage = 'node' | 'java' | 'dotnet' | 'python' | 'go'

/** Reads one line, without the white space around it, and the one after it, which Go needs. */
export type FrameReader = (line: string, next: string) => Frame | undefined

/**
 * The last two parts of a path, without extension: what stands before changes with every deploy and between source and build,
 * and bundlers put a hash of the content into the name.
 */
export function moduleOfPath(path: string): string {
  const parts = path
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '')
  const name = withoutHash((parts.pop() ?? '').replace(/(?:\.[cm]?[jt]sx?|\.py|\.go)$/, ''))
  const folder = parts.pop()
  return folder === undefined || builtFolders.has(folder) ? name : `${folder}/${name}`
}

/** Folders that only some of the forms of one program have. */
const builtFolders: ReadonlySet<string> = new Set(['.', '..', 'app', 'build', 'dist', 'lib', 'out', 'src', 'chunks', 'assets'])

function withoutHash(name: string): string {
  return name.replace(/[.-](?:[0-9a-f]{8,40}|(?=[\w-]*[\dA-Z])[\w-]{8})$/, '')
}
