import type { FrameReader } from './frame.ts'

/** Two lines: `github.com/acme/orders.(*Store).Save(0xc000, …)`, then the file, the line and an offset. */
export const goFrame: FrameReader = (line, next) => {
  const [, path] = location.exec(next) ?? []
  const [, packageName, name] = shape.exec(line) ?? []
  if (path === undefined || packageName === undefined || name === undefined) return undefined
  return { function: functionName(name), module: packageName, inApp: isApp(packageName, path) }
}

const location = /^\t(\/.{1,1000}\.(?:go|s)):\d+(?: \+0x[0-9a-f]+)?$/
const shape =
  /^([\w./@~%-]{0,512}?[\w%-]{1,128})\.((?:\(\*?\w{1,128}(?:\[\.\.\.\])?\)\.)?\w[\w.[\]-]{0,256}?)(?:\([^\t]{0,1000}\))?$/

/** Without the pointer, the type parameters and the number of a closure. */
function functionName(name: string): string {
  return name.replace(/[(*)]|\[\.\.\.\]/g, '').replace(/(?:\.(?:func)?\d+)+$/, '')
}

/** The standard library has no host in its path; modules lie in a cache. */
function isApp(packageName: string, path: string): boolean {
  const first = packageName.split('/', 1)[0] ?? ''
  const isStandard = first !== 'main' && !first.includes('.')
  return !isStandard && !/\/pkg\/mod\/|\/vendor\//.test(path)
}
