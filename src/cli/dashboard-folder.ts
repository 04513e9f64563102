import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the built dashboard lies, in a clone as in the package; `undefined` where nobody has built it. */
export function dashboardFolder(): string | undefined {
  const folder = fileURLToPath(new URL('../../web/dist', import.meta.url))
  return existsSync(join(folder, 'index.html')) ? folder : undefined
}
