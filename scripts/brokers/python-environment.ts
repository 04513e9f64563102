import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, fillOnce } from './cache.ts'
import { onPath } from './path.ts'
import { runToEnd } from './process.ts'

/** Packages of Python in an environment of their own outside of the checkout, as a list with every version says. */
export interface PythonEnvironment {
  /** Does nothing when it is there. */
  install(): Promise<void>
  /** The Python that has them; `undefined` where nobody installed it. */
  find(): string | undefined
}

/** `main` is the package that the environment is named after. */
export function pythonEnvironment(main: string, requirements: string): PythonEnvironment {
  const [, version = ''] = new RegExp(`^${main}==(.+)$`, 'm').exec(readFileSync(requirements, 'utf8')) ?? []
  const name = `${main}-${version}`

  function find(): string | undefined {
    const python = join(cacheFolder(), name, 'bin', 'python')
    return existsSync(python) ? python : undefined
  }

  return {
    find,
    async install() {
      if (find()) return
      if (!onPath('python3')) throw new Error(`${main} needs Python 3.10 or later, with its module venv.`)
      await fillOnce(name, async (folder) => {
        await runToEnd('python3', ['-m', 'venv', folder])
        await runToEnd(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '--no-deps', '-r', requirements])
      })
    },
  }
}
