/** Every option that users can write, where it is declared, and the page and section that must explain it. */
export interface OptionSet {
  readonly file: string
  readonly interfaces: readonly string[]
  readonly page: string
  /** The beginning of the heading. */
  readonly section: string
}

export const optionSets: readonly OptionSet[] = [
  set('src/runtime/consumer-options.ts', ['ConsumerOptions', 'WatchdogOptions'], '## `createConsumer('),
  set('src/runtime/reporting/control-plane-options.ts', ['ControlPlaneOptions'], '## `createConsumer('),
  set('src/runtime/channel-options.ts', ['ChannelOptions', 'SpoolOptions', 'BreakerOptions'], '## `consumer.channel('),
  set('src/core/policy-options.ts', ['PolicyOptions', 'BackoffOptions'], '## Policy'),
  set('src/runtime/batch/batch-options.ts', ['BatchOptions'], '## `.onBatch('),
  set('src/core/classify-rules.ts', ['ClassifyOptions', 'TypeRule'], '## `classify`'),
  set('src/runtime/define-message.ts', ['DefineMessageOptions'], '## `defineMessage('),
  set('src/runtime/producer.ts', ['ProducerOptions'], '## `createProducer('),
  set('src/runtime/claim-check.ts', ['CheckOutOptions'], '## `createConsumer('),
  set('src/runtime/claim-check.ts', ['CheckInOptions'], '## `createProducer('),
  set('src/claim-check/folder-store.ts', ['FolderStoreOptions'], '## Stores', 'docs/claim-check.md'),
  set('src/runtime/producer.ts', ['ProduceOptions'], '## `producer.send('),
  set('src/transports/memory/memory.ts', ['MemoryOptions'], '## `memory('),
  set('src/transports/memory/capabilities.ts', ['MemoryLimits'], '## `memory('),
  set('src/transports/embedded/options.ts', ['EmbeddedOptions'], '## Options', 'docs/embedded.md'),
  set('src/transports/kafka/options.ts', ['KafkaOptions', 'SaslOptions'], '## Options', 'docs/kafka.md'),
  set('src/transports/redis/options.ts', ['RedisOptions'], '## Options', 'docs/redis.md'),
  set('src/transports/postgres/options.ts', ['PostgresOptions'], '## Options', 'docs/postgres.md'),
  set('src/transports/postgres/enqueue.ts', ['EnqueueOptions'], '## Sending in your own transaction', 'docs/postgres.md'),
  set('src/transports/rocketmq/options.ts', ['RocketmqOptions'], '## Options', 'docs/rocketmq.md'),
  set('src/transports/sqs/options.ts', ['SqsOptions', 'Credentials'], '## Options', 'docs/sqs.md'),
  set('src/monitor/monitor-options.ts', ['MonitorOptions'], '## `createMonitor(', 'docs/monitor.md'),
  set('src/outgoing/mail-options.ts', ['MailOptions'], '## `mail(', 'docs/monitor.md'),
  set('src/monitor/webhook.ts', ['WebhookOptions'], '## `webhook(', 'docs/monitor.md'),
]

function set(file: string, interfaces: readonly string[], section: string, page = 'docs/configuration.md'): OptionSet {
  return { file, interfaces, section, page }
}

/** The names of all properties of an interface, those of nested objects included. */
export function optionNames(source: string, name: string): readonly string[] {
  const [, body] = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source) ?? []
  if (body === undefined) throw new Error(`There is no interface ${name}.`)
  const withoutComments = body.replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
  return [...withoutComments.matchAll(/readonly (\w+)\??:/g)].map(([, option = '']) => option)
}

/** The options that no row of the section explains. An option that only holds others is explained by their paths. */
export function missingOptions(page: string, section: string, names: readonly string[]): readonly string[] {
  const explained = explainedOptions(page, section)
  return names.filter((name) => !explained.includes(name))
}

/** Options that a row explains and no code knows. */
export function inventedOptions(page: string, section: string, names: readonly string[]): readonly string[] {
  return explainedOptions(page, section).filter((name) => !names.includes(name))
}

function explainedOptions(page: string, section: string): readonly string[] {
  const start = page.indexOf(`\n${section}`)
  if (start < 0) return []
  const end = page.indexOf('\n## ', start + 1)
  const rows = page.slice(start, end < 0 ? undefined : end).matchAll(/^\| `([\w.]+)` \|/gm)
  return [...rows].flatMap(([, path = '']) => path.split('.'))
}
