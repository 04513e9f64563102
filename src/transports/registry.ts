import { RedriveError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { Capabilities } from './capabilities.ts'
import type { EmbeddedOptions } from './embedded/options.ts'
import type { KafkaOptions } from './kafka/options.ts'
import type { RabbitmqOptions } from './rabbitmq/options.ts'
import type { Transport } from './seam.ts'
import type { Tools } from './tools.ts'

/** Where a broker is. Each transport reads what it needs and leaves the rest. */
export interface ConnectionSettings {
  /** `embedded`: the database file. */
  readonly file?: string
  /** `kafka`: one or more of `host:port`, separated by commas. */
  readonly bootstrapServers?: string
  /** `kafka`: the consumer group. */
  readonly groupId?: string
  /** `rabbitmq`: such as `amqp://user:password@host:5672/vhost`. */
  readonly url?: string
}

interface Entry {
  readonly open: (settings: ConnectionSettings) => Promise<Transport>
  /** With the transport's own options, all of them. */
  readonly openWith: (options: object) => Promise<Transport>
  /** Reads all of the options as the transport itself does, and connects to nothing. */
  readonly checkOptions: (options: object) => Promise<unknown>
  /** What it can do with its default limits, without opening anything. */
  readonly capabilities: () => Promise<Capabilities>
  /** Absent where there is nothing outside of the consumer's own process. */
  readonly tools?: () => Promise<Tools>
}

/** The only file that knows which transports there are. Each one is loaded when it is first asked for, and no other with it. */
const entries: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  [
    'embedded',
    {
      open: async ({ file }) => (await import('./embedded/embedded.ts')).embedded({ file: required(file, 'embedded', 'file') }),
      openWith: async (options) => (await import('./embedded/embedded.ts')).embedded(options as EmbeddedOptions),
      checkOptions: async (options) => (await import('./embedded/options.ts')).resolveOptions(options as EmbeddedOptions),
      capabilities: async () => {
        const { defaultMaxBody, embeddedCapabilities } = await import('./embedded/capabilities.ts')
        return embeddedCapabilities(defaultMaxBody)
      },
      tools: async () => (await import('./embedded/tools.ts')).tools,
    },
  ],
  [
    'kafka',
    {
      open: async ({ bootstrapServers, groupId }) =>
        (await import('./kafka/kafka.ts')).kafka({
          bootstrapServers: required(bootstrapServers, 'kafka', 'bootstrapServers'),
          ...(groupId !== undefined && { groupId }),
        }),
      openWith: async (options) => (await import('./kafka/kafka.ts')).kafka(options as KafkaOptions),
      checkOptions: async (options) => (await import('./kafka/options.ts')).resolveOptions(options as KafkaOptions),
      capabilities: async () => {
        const { defaultMaxBody, kafkaCapabilities } = await import('./kafka/capabilities.ts')
        return kafkaCapabilities(defaultMaxBody)
      },
      tools: async () => (await import('./kafka/tools.ts')).tools,
    },
  ],
  [
    'memory',
    {
      open: async () => (await import('./memory/memory.ts')).memory(),
      openWith: async (options) => (await import('./memory/memory.ts')).memory(options),
      checkOptions: async (options) => (await import('./memory/memory.ts')).memory(options),
      capabilities: async () => {
        const { defaultLimits, memoryCapabilities } = await import('./memory/capabilities.ts')
        return memoryCapabilities(defaultLimits)
      },
    },
  ],
  [
    'rabbitmq',
    {
      open: async ({ url }) => (await import('./rabbitmq/rabbitmq.ts')).rabbitmq({ url: required(url, 'rabbitmq', 'url') }),
      openWith: async (options) => (await import('./rabbitmq/rabbitmq.ts')).rabbitmq(options as RabbitmqOptions),
      checkOptions: async (options) => (await import('./rabbitmq/options.ts')).resolveOptions(options as RabbitmqOptions),
      capabilities: async () => {
        const { rabbitmqCapabilities } = await import('./rabbitmq/capabilities.ts')
        return rabbitmqCapabilities({ queueType: 'quorum', maxBody: 16 * 1024 * 1024 })
      },
      tools: async () => (await import('./rabbitmq/tools.ts')).tools,
    },
  ],
])

export const transportNames: readonly string[] = [...entries.keys()]

/** Rejects with `bad-option` for a name that no transport has. */
export async function openTransport(name: string, settings: ConnectionSettings = {}): Promise<Transport> {
  return entryOf(name).open(settings)
}

/** With the options of the transport itself, as a configuration file has them. */
export async function openConfigured(name: string, options: object): Promise<Transport> {
  return entryOf(name).openWith(options)
}

/** Rejects with what the transport says about the first of its options that is wrong. Connects to nothing. */
export async function checkOptions(name: string, options: object): Promise<void> {
  await entryOf(name).checkOptions(options)
}

export async function capabilitiesOf(name: string): Promise<Capabilities> {
  return entryOf(name).capabilities()
}

/** Rejects with `unsupported` for a transport that lives and dies with its process. */
export async function toolsOf(name: string): Promise<Tools> {
  const { tools } = entryOf(name)
  if (tools) return tools()
  throw new RedriveError(
    'unsupported',
    `transport "${name}" lives in the process that uses it: there is nothing to look at from here.`,
  )
}

function entryOf(name: string): Entry {
  const entry = entries.get(name)
  if (entry) return entry
  const meant = nearest(name, transportNames)
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  throw new RedriveError('bad-option', `transport is ${JSON.stringify(name)}.${hint} Allowed: ${transportNames.join(', ')}.`)
}

function required(value: string | undefined, transport: string, option: string): string {
  if (value !== undefined) return value
  throw new RedriveError('bad-option', `transport "${transport}": ${option} is missing; it must be given.`)
}
