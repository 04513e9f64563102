import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isArray } from '../core/wary.ts'
import { readVaultKey, type VaultKey, type VaultKeys } from '../platform/vault-key.ts'
import { mistakeAt, valueAt } from './check-config.ts'
import type { Mistake } from './config-error.ts'
import type { Environment } from './environment.ts'
import { type Path, pathText } from './path.ts'
import type { YamlTree } from './yaml-tree.ts'

export interface ReadKeys {
  readonly mistakes: readonly Mistake[]
  /** Absent where there are none, and where one of them is a mistake. */
  readonly keys?: VaultKeys
}

export interface KeyOrigin {
  /** What relative paths start from. */
  readonly folder: string
  readonly environment: Environment
}

/** Reads the keys that `encryption` names. Neither a key nor what stands in place of one is ever shown: somebody may have written the key itself there. */
export async function readKeys(tree: YamlTree, origin: KeyOrigin): Promise<ReadKeys> {
  if (valueAt(tree.value, ['encryption']) === undefined) return { mistakes: [] }
  const mistakes: Mistake[] = []
  const keys: VaultKey[] = []
  const former = valueAt(tree.value, ['encryption', 'formerKeys'])
  const paths: Path[] = [
    ['encryption', 'key'],
    ...(isArray(former) ? [...former.keys()] : []).map((index) => ['encryption', 'formerKeys', index]),
  ]
  for (const path of paths) {
    const found = await keyAt(valueAt(tree.value, path), origin)
    if (found === undefined) continue
    const problem = 'problem' in found ? found.problem : sameAs(found, keys)
    if (problem !== undefined) mistakes.push(mistakeAt(tree.placeOf(path), path, `${pathText(path)} ${problem}.`))
    else if ('secret' in found) keys.push(found)
  }
  const [key, ...formerKeys] = keys
  return { mistakes, ...(key && mistakes.length === 0 && { keys: { key, formerKeys } }) }
}

/** Where no configuration is read. */
export async function keysFromEnvironment({
  folder,
  environment,
}: KeyOrigin): Promise<VaultKeys | undefined | { readonly problem: string }> {
  const [env, file] = ['REDRIVE_VAULT_KEY', 'REDRIVE_VAULT_KEY_FILE']
  const named = environment[env] ? { env } : environment[file] ? { file: environment[file] } : undefined
  const key = await keyAt(named, { folder, environment })
  if (key === undefined) return undefined
  return 'problem' in key ? key : { key, formerKeys: [] }
}

type Found = VaultKey | { readonly problem: string }

/** Nothing where something else stands there, which the schema says. */
async function keyAt(named: unknown, { folder, environment }: KeyOrigin): Promise<Found | undefined> {
  const { env, file } = Object(named ?? {}) as { readonly env?: unknown; readonly file?: unknown }
  if (typeof env === 'string' && file === undefined) {
    const value = Object.hasOwn(environment, env) ? environment[env] : undefined
    if (value === undefined) return { problem: 'names an environment variable that is not set' }
    return told('names an environment variable whose value', readVaultKey(value))
  }
  return typeof file === 'string' && env === undefined ? keyIn(resolve(folder, file)) : undefined
}

function told(where: string, found: Found): Found {
  return 'problem' in found ? { problem: `${where} ${found.problem}` } : found
}

/** More is no key. */
const largestFile = 4096

async function keyIn(file: string): Promise<Found> {
  const handle = await open(file, constants.O_RDONLY).catch(() => undefined)
  if (!handle) return { problem: 'names a file that cannot be read' }
  try {
    const found = await handle.stat()
    if (!found.isFile() || found.size > largestFile) return { problem: 'names something that is no file of a key' }
    if (isOpenToOthers(found.mode)) {
      return { problem: 'names a file that others than its owner and group can read, or that its group can change: chmod 600 it' }
    }
    return told('names a file whose content', readVaultKey(await handle.readFile('utf8')))
  } finally {
    await handle.close()
  }
}

/** A group may read it, because that is how a cluster hands a secret to a process. Windows has no such bits. */
function isOpenToOthers(mode: number): boolean {
  return process.platform !== 'win32' && (mode & 0o027) !== 0
}

function sameAs({ id }: VaultKey, others: readonly VaultKey[]): string | undefined {
  return others.some((other) => other.id === id) ? 'is a key that stands there already' : undefined
}
