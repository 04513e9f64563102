import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { httpAnswers } from './probe.ts'
import type { Prepared, Recipe } from './recipe.ts'
import { findUnpacked, programOf, unpackPackage } from './unpacked.ts'

const packageName = 'prometheus'

/** No broker, but run in the same way: what our metrics, rules and dashboard are for. */
export const prometheus: Recipe = {
  name: 'prometheus',
  urlVariable: 'REDRIVE_PROMETHEUS_URL',
  versions: ['2.42'],
  install: (version) => unpackPackage(packageName, version),
  find: (version) => findUnpacked(packageName, version, 'prometheus', prepare),
}

/** The program that checks and tests rules. */
export function promtool(): string | undefined {
  return programOf(packageName, prometheus.versions[0] ?? '', 'promtool')
}

/** A scrape takes at most as long as it is to the next one, and one that is cut off leaves nothing to be asked for. */
const global = 'global: { scrape_interval: 5s, scrape_timeout: 5s, evaluation_interval: 1s }'

/** `settings` are further lines of `prometheus.yml`, such as its scrape jobs. */
async function prepare(
  program: string,
  folder: string,
  ports: readonly number[],
  settings: readonly string[],
): Promise<Prepared> {
  const [port = 0] = ports
  const configuration = join(folder, 'prometheus.yml')
  await writeFile(configuration, [global, ...settings, ''].join('\n'))
  const args = [
    `--config.file=${configuration}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--web.enable-lifecycle',
  ]
  const url = `http://127.0.0.1:${port}`
  const command = { program, args, env: { PATH: '/usr/bin:/bin', HOME: folder }, folder, log: join(folder, 'prometheus.log') }
  return { commands: [command], url, ready: () => httpAnswers(`${url}/-/ready`) }
}
