import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { sourceFiles } from './checks/source-files.ts'
import { run } from './run.ts'

/** Where the server looks for it. */
export const webFolder = 'web/dist'
const stamp = '.made-from'

/** What the dashboard is made from, and how. The lock file stands for the libraries. */
function sourcesHash(): string {
  const hash = createHash('sha256')
  const endings = ['.ts', '.tsx', '.css', '.html', '.svg', '.json']
  const files = [
    ...endings.flatMap((ending) => sourceFiles('web', ending)),
    ...sourceFiles('src/core'),
    ...sourceFiles('src/server'),
  ]
  for (const { path, text } of files.filter((file) => !file.path.startsWith(`${webFolder}/`))) hash.update(`${path}\0${text}\0`)
  return hash.update(readFileSync('scripts/build-web.ts')).update(readFileSync('package-lock.json')).digest('hex')
}

/** Builds the dashboard unless what is there was made from these very sources. */
export async function buildWeb(tell: (text: string) => void = () => undefined): Promise<void> {
  const wanted = sourcesHash()
  if (isMadeFrom(wanted, webFolder)) return
  tell('building the dashboard, which takes a few seconds …')
  const fresh = `dist-${process.pid}`
  // Whoever tests says so in the environment, and would get what libraries have for developers, half as large again.
  const env = { NODE_ENV: 'production' }
  const { code, output } = await run('vite', ['build', 'web', '--outDir', fresh, '--logLevel', 'warn'], { env })
  if (code !== 0) throw new Error(`The dashboard could not be built:\n${output}`)
  const folder = join('web', fresh)
  compress(join(folder, 'assets'))
  writeFileSync(join(folder, stamp), wanted)
  putInPlace(folder, webFolder, wanted)
}

function isMadeFrom(wanted: string, folder: string): boolean {
  const made = join(folder, stamp)
  return existsSync(made) && readFileSync(made, 'utf8') === wanted
}

/**
 * By a rename, so that nobody ever sees half of it. Where somebody else was quicker with the same, theirs stays: their server may be giving it out
 * already.
 */
export function putInPlace(fresh: string, place: string, wanted: string): void {
  if (!isMoved(fresh, place) && !isMadeFrom(wanted, place)) {
    isMoved(place, `${fresh}-before`)
    isMoved(fresh, place)
  }
  for (const left of [fresh, `${fresh}-before`]) rmSync(left, { recursive: true, force: true })
}

/** A folder that holds something is never replaced. */
function isMoved(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch {
    return false
  }
}

/** Compressed once here, and not at every request. */
function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    const content = readFileSync(join(folder, name))
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
  }
}
