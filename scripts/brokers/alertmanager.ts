import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { httpAnswers } from './probe.ts'
import type { Prepared, Recipe } from './recipe.ts'
import { findUnpacked, unpackPackage, withItsFiles } from './unpacked.ts'

const packageName = 'prometheus-alertmanager'

/** No broker, but run in the same way: one of those that alerts go to. */
export const alertmanager: Recipe = {
  name: 'alertmanager',
  urlVariable: 'REDRIVE_ALERTMANAGER_URL',
  versions: ['0.25'],
  install: (version) => unpackPackage(packageName, version),
  find: (version) => findUnpacked(packageName, version, 'prometheus-alertmanager', prepare),
}

const tellsNobody: readonly string[] = ['route: { receiver: nobody }', 'receivers: [{ name: nobody }]']

/** `settings` are the lines of `alertmanager.yml`. */
async function prepare(
  program: string,
  folder: string,
  ports: readonly number[],
  settings: readonly string[],
): Promise<Prepared> {
  const [port = 0] = ports
  const configuration = join(folder, 'alertmanager.yml')
  await writeFile(configuration, `${(settings.length > 0 ? settings : tellsNobody).join('\n')}\n`)
  const args = [
    `--config.file=${configuration}`,
    `--storage.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    // An empty address: no gossip with others.
    '--cluster.listen-address=',
  ]
  const url = `http://127.0.0.1:${port}`
  const command = { program, args, env: { PATH: '/usr/bin:/bin', HOME: folder }, folder, log: join(folder, 'alertmanager.log') }
  return { commands: [withItsFiles(command)], url, ready: () => httpAnswers(`${url}/-/ready`) }
}
