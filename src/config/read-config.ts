import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { rulesFrom } from '../core/alerts/rule-options.ts'
import type { BodyCheck } from '../core/body-check.ts'
import { parseDuration } from '../core/duration.ts'
import { isServerUrl } from '../core/vault-place.ts'
import type { LoginGrant, OidcLogin } from '../oidc/oidc-login.ts'
import { readOtlp } from '../outgoing/otlp-target.ts'
import { fileOptionsOf } from '../transports/registry.ts'
import { checkAlerts, windowOf } from './check-alerts.ts'
import { checkConfig } from './check-config.ts'
import { checkConnections } from './check-connections.ts'
import { checkEncryption } from './check-encryption.ts'
import { checkLogin } from './check-login.ts'
import { checkNotifiers } from './check-notifiers.ts'
import { checkOtlp } from './check-otlp.ts'
import { checkReferences } from './check-references.ts'
import { readSchemas, type Schemas } from './check-schemas.ts'
import type {
  AlertingConfig,
  Config,
  LoginConfig,
  RecoveryConfig,
  RetentionConfig,
  ReturnRoute,
  SourceConfig,
  TriageConfig,
  VaultRetentionConfig,
} from './config.ts'
import { ConfigError } from './config-error.ts'
import type { Environment } from './environment.ts'
import { readKeys } from './read-keys.ts'
import {
  defaults,
  type WrittenAlerting,
  type WrittenConfig,
  type WrittenGrant,
  type WrittenLogin,
  type WrittenOidc,
  type WrittenRecovery,
  type WrittenRetention,
  type WrittenRoute,
  type WrittenSource,
  type WrittenTriage,
} from './schema.ts'
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
  const schemas = await readSchemas(tree, folder)
  const { keys, mistakes: badKeys } = await readKeys(tree, { folder, environment })
  const told = [...tree.mistakes]
  for (const mistake of [
    ...mistakes,
    ...badKeys,
    ...checkReferences(tree),
    ...checkEncryption(tree),
    ...checkAlerts(tree),
    ...checkNotifiers(tree),
    ...checkOtlp(tree),
    ...checkLogin(tree),
    ...(await checkConnections(tree)),
    ...schemas.mistakes,
  ]) {
    if (!told.some(({ path }) => path !== '' && path === mistake.path)) told.push(mistake)
  }
  if (written === undefined || told.length > 0) throw new ConfigError(file, told)
  return { ...complete(written, folder, schemas), ...(keys && { encryption: keys }) }
}

function complete(written: WrittenConfig, folder: string, schemas: Schemas): Config {
  const { vault = defaults.vault, connections = {}, sources = [], mask, retention = {}, triage = [], replays } = written
  return {
    vault: isServerUrl(vault) ? vault : resolve(folder, vault),
    server: serverOf(written, folder),
    connections: new Map(
      Object.entries(connections).map(([name, { transport, ...options }]) => [
        name,
        { transport, options: withFiles(transport, options, folder) },
      ]),
    ),
    sources: sources.map((source) => ({ ...sourceOf(source, retention), ...schemasOf(source, folder, schemas) })),
    retention: { ...retentionOf(retention), ...spanOf('replays', retention.replays ?? defaults.replays) },
    triage: triage.map(triageOf),
    mask: { headers: mask?.headers ?? [], paths: mask?.paths ?? [] },
    replays:
      replays?.needsSecondPersonAbove === undefined ? {} : { needsSecondPersonAbove: Number(replays.needsSecondPersonAbove) },
    rules: rulesFrom(written.rules ?? []),
    maintenance: (written.maintenance ?? []).map(windowOf),
    notifiers: new Map(Object.entries(written.notifiers ?? {}).map(([name, { type, ...options }]) => [name, { type, options }])),
    alerting: alertingOf(written.alerting ?? {}),
    ...(written.otlp && { otlp: readOtlp(written.otlp) }),
    login: loginOf(written.login ?? {}),
  }
}

export function alertingOf(written: WrittenAlerting): AlertingConfig {
  const { wait = defaults.wait, interval = defaults.interval, repeat = defaults.repeat, repeatCritical } = written
  return {
    timers: {
      wait: parseDuration(wait, 'alerting.wait'),
      interval: parseDuration(interval, 'alerting.interval'),
      repeat: parseDuration(repeat, 'alerting.repeat'),
      ...(repeatCritical !== undefined && { repeatCritical: parseDuration(repeatCritical, 'alerting.repeatCritical') }),
    },
    redactHosts: written.redactHosts ?? defaults.redactHosts,
  }
}

function loginOf({ passwords = defaults.passwords, oidc }: WrittenLogin): LoginConfig {
  return { passwords: String(passwords) === 'true', ...(oidc && { oidc: oidcOf(oidc) }) }
}

function oidcOf({ issuer, clientId, clientSecret, groups = [], others, ...rest }: WrittenOidc): OidcLogin {
  return {
    ...{ issuer, clientId, clientSecret },
    name: rest.name ?? defaults.name,
    scopes: rest.scopes ?? defaults.scopes,
    groupsClaim: rest.groupsClaim ?? defaults.groupsClaim,
    nameClaim: rest.nameClaim ?? defaults.nameClaim,
    groups: groups.map(({ group, ...grant }) => ({ group, ...grantOf(grant) })),
    ...(others && { others: grantOf(others) }),
  }
}

function grantOf({ role, sources = ['*'], reveal = defaults.reveal }: WrittenGrant): LoginGrant {
  return { role, sources, reveal }
}

function triageOf({ name, filter, assign, discard, replayOnRecovery }: WrittenTriage): TriageConfig {
  return {
    name,
    filter,
    ...(assign !== undefined && { assign }),
    ...(String(discard) === 'true' && { discard: true }),
    ...(replayOnRecovery && { replayOnRecovery: recoveryOf(replayOnRecovery) }),
  }
}

/** Nobody looks on while it goes, so that it never goes without a canary, and one letter that comes back ends it. */
function recoveryOf(written: WrittenRecovery): RecoveryConfig {
  const { rate = defaults.rate, first = defaults.first, observe = defaults.observe } = written
  const canary = { first: Number(first), growth: 5, tolerated: 0 }
  return { rate: Number(rate), canary, observe: parseDuration(observe, 'observe') }
}

/** Wherever a path stands in the file, it starts from the folder of the file: nobody knows where a service is started from. */
function withFiles(transport: string, options: Readonly<Record<string, unknown>>, folder: string): Record<string, unknown> {
  const isFile = (name: string): boolean => fileOptionsOf(transport).includes(name)
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, isFile(name) ? resolve(folder, String(value)) : value]),
  )
}

function serverOf({ server }: WrittenConfig, folder: string): Config['server'] {
  const { host = defaults.host, port = defaults.port, behindProxy = defaults.behindProxy, tls, publicUrl, session } = server ?? {}
  return {
    host,
    port: Number(port),
    behindProxy: String(behindProxy) === 'true',
    ...(tls && { tls: { cert: resolve(folder, tls.cert), key: resolve(folder, tls.key) } }),
    ...(publicUrl !== undefined && { publicUrl: new URL(publicUrl).origin }),
    session: {
      idle: parseDuration(session?.idle ?? defaults.idle, 'server.session.idle'),
      absolute: parseDuration(session?.absolute ?? defaults.absolute, 'server.session.absolute'),
    },
  }
}

function sourceOf(written: WrittenSource, forAll: WrittenRetention): SourceConfig {
  const {
    connection,
    channel,
    mode,
    part,
    group,
    returnTo,
    retention,
    probeEvery,
    searchBodies = defaults.searchBodies,
  } = written
  return {
    connection,
    channel,
    mode,
    ...(part !== undefined && { part }),
    ...(group !== undefined && { group }),
    ...(returnTo && { returnTo: routeOf(connection, returnTo) }),
    ...(retention && { retention: retentionOf({ ...forAll, ...retention }) }),
    ...(String(searchBodies) === 'true' && { searchBodies: true }),
    ...(probeEvery !== undefined && { probeEvery: parseDuration(probeEvery, 'probeEvery') }),
  }
}

function schemasOf({ schemas }: WrittenSource, folder: string, { checks }: Schemas): Pick<SourceConfig, 'schemas'> {
  if (!schemas) return {}
  const named = Object.entries(schemas).map(([type, file]) => [type, checks.get(resolve(folder, file))] as const)
  return { schemas: new Map(named.filter((each): each is [string, BodyCheck] => each[1] !== undefined)) }
}

function routeOf(sameConnection: string, { connection = sameConnection, channel, group }: WrittenRoute): ReturnRoute {
  return { connection, channel, ...(group !== undefined && { group }) }
}

function retentionOf({ letters = defaults.letters, open = defaults.open, count }: WrittenRetention): RetentionConfig {
  return { ...spanOf('letters', letters), ...spanOf('open', open), ...(count !== undefined && { count: Number(count) }) }
}

function spanOf(name: 'letters' | 'open' | 'replays', written: string): Partial<VaultRetentionConfig> {
  return written === 'forever' ? {} : { [name]: parseDuration(written, `retention.${name}`) }
}
