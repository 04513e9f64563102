import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parseDuration } from '../core/duration.ts'
import { checkConfig } from './check-config.ts'
import { checkConnections } from './check-connections.ts'
import { checkReferences } from './check-references.ts'
import type { Config, RetentionConfig, ReturnRoute, SourceConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import type { Environment } from './environment.ts'
import { defaults, type WrittenConfig, type WrittenRoute, type WrittenSource } from './schema.ts'
import { readYaml } from './yaml-tree.ts'

export const defaultConfigFile = 'redrive.yaml'
/** Nobody writes more by hand. */
const largestFile = 256 * 1024

export interface ConfigOrigin {
  /** The name that mistakes begin with. */
  readonly file: string
  /** What relative paths in the file start from. */
  readonly folder: string
  readonly environment: Environment
}

/** Rejects with a `ConfigError` that tells every mistake at once. `path` is absolute, or starts from the current folder. */
export async function readConfigFile(path: string, environment: Environment): Promise<Config> {
  const refuse = (problem: string): ConfigError => new ConfigError(path, [{ line: 1, column: 1, path: '', problem }])
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw refuse('There is no such file.')
  if (found.size > largestFile) throw refuse(`The file is larger than ${largestFile} bytes.`)
  const bytes = await readFile(path).catch(() => {
    throw refuse('The file cannot be read.')
  })
  const text = decode(bytes)
  if (text === undefined) throw refuse('The file is not UTF-8.')
  return readConfig(text, { file: path, folder: dirname(resolve(path)), environment })
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export async function readConfig(text: string, { file, folder, environment }: ConfigOrigin): Promise<Config> {
  const tree = readYaml(text, environment)
  // Without a document there is nothing to compare; a single mistake in one does not hide the others.
  if (tree.value === undefined && tree.mistakes.length > 0) throw new ConfigError(file, tree.mistakes)
  const { written, mistakes } = checkConfig(tree)
  const told = [...tree.mistakes]
  for (const mistake of [...mistakes, ...checkReferences(tree), ...(await checkConnections(tree))]) {
    if (!told.some(({ path }) => path !== '' && path === mistake.path)) told.push(mistake)
  }
  if (written === undefined || told.length > 0) throw new ConfigError(file, told)
  return complete(written, folder)
}

function complete(written: WrittenConfig, folder: string): Config {
  const { vault = defaults.vault, connections = {}, sources = [], mask } = written
  return {
    vault: resolve(folder, vault),
    server: serverOf(written, folder),
    connections: new Map(Object.entries(connections).map(([name, { transport, ...options }]) => [name, { transport, options }])),
    sources: sources.map(sourceOf),
    retention: retentionOf(written),
    mask: { headers: mask?.headers ?? [], paths: mask?.paths ?? [] },
  }
}

function serverOf({ server }: WrittenConfig, folder: string): Config['server'] {
  const { host = defaults.host, port = defaults.port, behindProxy = defaults.behindProxy, tls } = server ?? {}
  return {
    host,
    port: Number(port),
    behindProxy: String(behindProxy) === 'true',
    ...(tls && { tls: { cert: resolve(folder, tls.cert), key: resolve(folder, tls.key) } }),
  }
}

function sourceOf({ connection, channel, mode, part, group, returnTo }: WrittenSource): SourceConfig {
  return {
    connection,
    channel,
    mode,
    ...(part !== undefined && { part }),
    ...(group !== undefined && { group }),
    ...(returnTo && { returnTo: routeOf(connection, returnTo) }),
  }
}

function routeOf(sameConnection: string, { connection = sameConnection, channel, group }: WrittenRoute): ReturnRoute {
  return { connection, channel, ...(group !== undefined && { group }) }
}

function retentionOf({ retention }: WrittenConfig): RetentionConfig {
  const { letters = defaults.letters, open = defaults.open, audit = defaults.audit, count } = retention ?? {}
  return {
    ...spanOf('letters', letters),
    ...spanOf('open', open),
    ...spanOf('audit', audit),
    ...(count !== undefined && { count: Number(count) }),
  }
}

function spanOf(name: 'letters' | 'open' | 'audit', written: string | number): Partial<RetentionConfig> {
  return written === 'forever' ? {} : { [name]: parseDuration(written, `retention.${name}`) }
}
