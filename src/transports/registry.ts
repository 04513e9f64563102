import { RedriveError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { Capabilities } from './capabilities.ts'
import type { EmbeddedOptions } from './embedded/options.ts'
import type { KafkaOptions } from './kafka/options.ts'
import type { PostgresOptions } from './postgres/options.ts'
import type { RabbitmqOptions } from './rabbitmq/options.ts'
import type { RedisOptions } from './redis/options.ts'
import type { RocketmqOptions } from './rocketmq/options.ts'
import type { Transport } from './seam.ts'
import type { ServicebusOptions } from './servicebus/options.ts'
import type { SqsOptions } from './sqs/options.ts'
import type { Tools } from './tools.ts'

/** Where a broker is. Each transport reads what it needs and leaves the rest. */
export interface ConnectionSettings {
  /** `embedded`: the database file. */
  readonly file?: string
  /** `kafka`: one or more of `host:port`, separated by commas. */
  readonly bootstrapServers?: string
  /** `kafka`: the consumer group. */
  readonly groupId?: string
  /** `servicebus`: where its administration API is, when it is not at the endpoint of the namespace. */
  readonly adminEndpoint?: string
  /**
   * `postgres`: such as `postgres://user:password@host:5432/database`; `rabbitmq`: such as `amqp://user:password@host:5672/vhost`;
   * `redis`: such as `redis://user:password@host:6379/0`; `rocketmq`: such as `rocketmq://proxy:8081?nameServer=host:9876`; `servicebus`: a connection string; `sqs`: a region of Amazon, or the address of
   * another server, such as `http://127.0.0.1:9324`.
   */
  readonly url?: string
}

interface Entry {
  readonly open: (settings: ConnectionSettings) => Promise<Transport>
  /** With the transport's own options, all of them. */
  readonly openWith: (options: object) => Promise<Transport>
  /** Reads all of the options as the transport itself does, and connects to nothing. */
  readonly checkOptions: (options: object) => Promise<unknown>
  /** Options that name files. */
  readonly files?: readonly string[]
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
      files: ['file'],
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
    'postgres',
    {
      open: async ({ url }) => (await import('./postgres/postgres.ts')).postgres({ url: required(url, 'postgres', 'url') }),
      openWith: async (options) => (await import('./postgres/postgres.ts')).postgres(options as PostgresOptions),
      checkOptions: async (options) => (await import('./postgres/options.ts')).resolveOptions(options as PostgresOptions),
      capabilities: async () => {
        const { defaultMaxBody, postgresCapabilities } = await import('./postgres/capabilities.ts')
        return postgresCapabilities(defaultMaxBody)
      },
      tools: async () => (await import('./postgres/tools.ts')).tools,
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
  [
    'redis',
    {
      open: async ({ url }) => (await import('./redis/redis.ts')).redis({ url: required(url, 'redis', 'url') }),
      openWith: async (options) => (await import('./redis/redis.ts')).redis(options as RedisOptions),
      checkOptions: async (options) => (await import('./redis/options.ts')).resolveOptions(options as RedisOptions),
      capabilities: async () => {
        const { defaultMaxBody, redisCapabilities } = await import('./redis/capabilities.ts')
        return redisCapabilities(defaultMaxBody)
      },
      tools: async () => (await import('./redis/tools.ts')).tools,
    },
  ],
  [
    'rocketmq',
    {
      open: async ({ url }) => (await import('./rocketmq/rocketmq.ts')).rocketmq({ url: required(url, 'rocketmq', 'url') }),
      openWith: async (options) => (await import('./rocketmq/rocketmq.ts')).rocketmq(options as RocketmqOptions),
      checkOptions: async (options) => (await import('./rocketmq/options.ts')).resolveOptions(options as RocketmqOptions),
      capabilities: async () => {
        const { defaultMaxBody, rocketmqCapabilities } = await import('./rocketmq/capabilities.ts')
        return rocketmqCapabilities('normal', defaultMaxBody)
      },
      tools: async () => (await import('./rocketmq/tools.ts')).tools,
    },
  ],
  [
    'servicebus',
    {
      open: async ({ url, adminEndpoint }) =>
        (await import('./servicebus/servicebus.ts')).servicebus({
          connectionString: required(url, 'servicebus', 'url'),
          ...(adminEndpoint !== undefined && { adminEndpoint }),
        }),
      openWith: async (options) => (await import('./servicebus/servicebus.ts')).servicebus(options as ServicebusOptions),
      checkOptions: async (options) => (await import('./servicebus/options.ts')).resolveOptions(options as ServicebusOptions),
      capabilities: async () => {
        const { defaultMaxBody, servicebusCapabilities } = await import('./servicebus/capabilities.ts')
        return servicebusCapabilities({ sessions: false, retry: 'copy', maxBody: defaultMaxBody })
      },
      tools: async () => (await import('./servicebus/tools.ts')).tools,
    },
  ],
  [
    'sqs',
    {
      open: async ({ url }) => (await import('./sqs/sqs.ts')).sqs(placeOfSqs(url)),
      openWith: async (options) => (await import('./sqs/sqs.ts')).sqs(options as SqsOptions),
      checkOptions: async (options) => (await import('./sqs/options.ts')).resolveOptions(options as SqsOptions),
      capabilities: async () => {
        const { defaultMaxMessage, sqsCapabilities } = await import('./sqs/capabilities.ts')
        return sqsCapabilities('standard', defaultMaxMessage)
      },
      tools: async () => (await import('./sqs/tools.ts')).tools,
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

/** Options of a transport whose relative paths start from wherever they were written down. */
export function fileOptionsOf(name: string): readonly string[] {
  return entryOf(name).files ?? []
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

function placeOfSqs(where: string | undefined): SqsOptions {
  if (where === undefined) return {}
  return URL.canParse(where) ? { endpoint: where } : { region: where }
}

function required(value: string | undefined, transport: string, option: string): string {
  if (value !== undefined) return value
  throw new RedriveError('bad-option', `transport "${transport}": ${option} is missing; it must be given.`)
}
