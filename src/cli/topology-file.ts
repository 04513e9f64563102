import { readFile, stat } from 'node:fs/promises'
import { extname, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RedriveError } from '../core/errors.ts'
import { flag, listOf, text } from '../core/option-checks.ts'
import { badOption, type Check, readOptions } from '../core/options.ts'
import { policyKeys, readPolicy } from '../core/policy-options.ts'
import { type ChannelOptions, type ChannelSettings, channelName, resolveChannel } from '../runtime/channel-options.ts'
import type { DeclaredChannel, HandlerNeeds } from '../runtime/topology.ts'
import { duplicateKey } from './duplicate-keys.ts'
import { substitute } from './environment.ts'
import type { Terminal } from './terminal.ts'

export const defaultFile = 'redrive.topology.json'
/** Nobody writes more by hand, and everything in it is looked at several times. */
const largestFile = 4 * 1024 * 1024

/** What stands in a topology file: where the broker is, and the channels in the words of `consumer.channel(name, options)`. */
export interface TopologyFile {
  readonly transport: string
  /** The options of the transport; it checks them itself. */
  readonly connection: unknown
  readonly channels: readonly DeclaredChannel[]
}

/** Every error names the file, the place in it and what is allowed there. */
export async function readTopologyFile(given: string, terminal: Terminal): Promise<TopologyFile> {
  const path = resolve(terminal.folder, given)
  const name = relative(terminal.folder, path) || path
  return aboutFile(name, async () => interpret(await load(path, terminal)))
}

/** Runs what may find fault with the file, and puts its name before the fault. */
export async function aboutFile<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isAboutFile = error instanceof RedriveError && ['bad-option', 'unknown-option', 'bad-topology'].includes(error.code)
    if (isAboutFile) throw new RedriveError(error.code, `${name}: ${error.message}`, { cause: error })
    throw error
  }
}

async function load(path: string, terminal: Terminal): Promise<unknown> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw new RedriveError('bad-option', 'there is no such file. Create it, or give another with --file.')
  if (found.size > largestFile) throw new RedriveError('bad-option', `it is larger than ${largestFile} bytes.`)
  if (extname(path) === '.json') return substitute(parseJson(await readFile(path, 'utf8')), terminal.environment)
  if (/\.[cm]?[jt]s$/.test(path)) return exportOf(path)
  throw new RedriveError('bad-option', 'its name says neither JSON nor a module. Allowed: .json, .js, .mjs, .ts, .mts.')
}

function parseJson(content: string): unknown {
  const document = parse(content.replace(/^\uFEFF/, ''))
  const twice = duplicateKey(content)
  if (twice === undefined) return document
  throw new RedriveError('bad-option', `the key ${JSON.stringify(twice)} stands twice in one object.`)
}

/** What the parser says would quote the file, and with it perhaps a password; so only the place is told. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    const [, position] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? []
    const before = json.slice(0, position === undefined ? undefined : Number(position)).split('\n')
    throw new RedriveError(
      'bad-option',
      `it is not JSON from line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1} on.`,
    )
  }
}

async function exportOf(path: string): Promise<unknown> {
  try {
    return (await import(pathToFileURL(path).href)).default
  } catch (cause) {
    throw new RedriveError('bad-option', 'it cannot be imported; run it with node to see why.', { cause })
  }
}

function interpret(document: unknown): TopologyFile {
  const given = readOptions(document ?? null, ['transport', 'connection', 'channels'], 'topology')
  const channels = given.required('channels', listOf(anObject, 10_000)).map(declare)
  if (channels.length === 0) throw new RedriveError('bad-option', 'channels is empty; name at least one.')
  refuseTwice(channels)
  return {
    transport: given.required('transport', text(100)),
    connection: given.read('connection', anObject, {}),
    channels,
  }
}

function declare(entry: object, index: number): DeclaredChannel {
  const { name, types, ...options } = entry as { name?: unknown; types?: unknown } & ChannelOptions
  const settings = resolveChannel(channelName(name, `channels[${index}].name`), options)
  return { settings, handlers: handlersOf(types, settings) }
}

/** Types of message whose handler has a policy or a key of its own; without any, there is one that has what the channel has. */
function handlersOf(types: unknown, settings: ChannelSettings): ReadonlyMap<string, HandlerNeeds> {
  if (types === undefined) return new Map([['*', { policy: settings.policy, isKeyed: false }]])
  const where = `channel ${JSON.stringify(settings.name)}: types`
  const entries = Object.entries(anObject(types, where))
  if (entries.length === 0) throw badOption(where, types, 'an object with at least one type of message')
  return new Map(
    entries.map(([type, options]) => {
      const given = readOptions(options, [...policyKeys, 'keyed'], `${where}.${type}`)
      return [type, { policy: readPolicy(given, settings.policy), isKeyed: given.read('keyed', flag, false) }]
    }),
  )
}

const anObject: Check<object> = (value, where) => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw badOption(where, value, 'an object')
}

function refuseTwice(channels: readonly DeclaredChannel[]): void {
  const names = channels.map(({ settings }) => settings.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new RedriveError('bad-option', `channel ${JSON.stringify(twice)} stands there twice.`)
}
