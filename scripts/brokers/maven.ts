import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder, fillOnce } from './cache.ts'
import { installPackages } from './debian.ts'
import { onPath } from './path.ts'
import { runToEnd } from './process.ts'

/** The jars that a broker's pom names, with all they depend on, from wherever this machine's Maven is told to get them. */
export async function installJars(
  name: string,
  version: string,
  java: readonly string[] = ['default-jre-headless'],
): Promise<void> {
  const pom = fileURLToPath(new URL(`./${name}/pom.xml`, import.meta.url))
  await fillOnce(`${name}-${version}`, async (folder) => {
    if (!onPath('mvn') || !onPath('java')) await installPackages(['maven', ...java])
    const options = [`-DoutputDirectory=${join(folder, 'lib')}`, '-DincludeScope=runtime']
    await runToEnd('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', ...options])
  })
}

export function findJars(name: string, version: string): string | undefined {
  const folder = join(cacheFolder(), `${name}-${version}`, 'lib')
  return existsSync(folder) ? folder : undefined
}

/** Lines of configuration for a broker that a JVM runs: those that begin with a dash are for the JVM. */
export function forTheJvm(settings: readonly string[]): { readonly jvm: readonly string[]; readonly own: readonly string[] } {
  const isJvm = (line: string): boolean => line.startsWith('-')
  return { jvm: settings.filter(isJvm), own: settings.filter((line) => !isJvm(line)) }
}

/** Starts fast and stays small: a test broker lives for minutes, and the machine has others to run. What `jvm` says replaces that. */
export function javaArguments(jars: string, heapMegabytes: number, jvm: readonly string[] = []): string[] {
  return [
    '-Xms32m',
    `-Xmx${heapMegabytes}m`,
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-Djava.net.preferIPv4Stack=true',
    ...jvm,
    '-cp',
    join(jars, '*'),
  ]
}
