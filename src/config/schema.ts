import { z } from 'zod'
import { parseDuration } from '../core/duration.ts'
import { hasCode } from '../core/errors.ts'
import { transportNames } from '../transports/registry.ts'
import type { SourceMode } from './config.ts'

/** `redrive.yaml` as it is written, once it has been found to be in order. Defaults are not filled in yet. */
export interface WrittenConfig {
  readonly vault?: string | undefined
  readonly server?: WrittenServer | undefined
  readonly connections?: Readonly<Record<string, { readonly transport: string; readonly [option: string]: unknown }>> | undefined
  readonly sources?: readonly WrittenSource[] | undefined
  readonly retention?: { readonly [K in 'letters' | 'open' | 'audit' | 'count']?: string | number | undefined } | undefined
  readonly mask?: { readonly [K in 'headers' | 'paths']?: readonly string[] | undefined } | undefined
}

export interface WrittenServer {
  readonly host?: string | undefined
  readonly port?: number | string | undefined
  readonly behindProxy?: boolean | 'true' | 'false' | undefined
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
}

export interface WrittenSource {
  readonly connection: string
  readonly channel: string
  readonly part?: 'dead-letter' | undefined
  readonly group?: string | undefined
  readonly mode: SourceMode
  readonly returnTo?: WrittenRoute | undefined
}

export interface WrittenRoute {
  readonly connection?: string | undefined
  readonly channel: string
  readonly group?: string | undefined
}

/** What holds where the file says nothing. */
export const defaults = {
  vault: './redrive.db',
  host: '127.0.0.1',
  port: 7333,
  behindProxy: false,
  letters: '30d',
  open: 'forever',
  audit: '400d',
} as const

// The `error` of each field is what a mistake names as allowed.

function text(longest: number) {
  const error = `text of 1 to ${longest} characters`
  return z.string({ error }).min(1, { error }).max(longest, { error })
}

/** What the environment fills is text, so a number may be written as one. */
function wholeNumber(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`
  const isWithin = (written: number | string): boolean => Number(written) >= min && Number(written) <= max
  const digits = z.string({ error }).regex(/^\d{1,15}$/, { error })
  return z.union([z.int({ error }).min(min, { error }).max(max, { error }), digits], { error }).refine(isWithin, { error })
}

function oneOf<const T extends readonly string[]>(words: T) {
  return z.enum(words, { error: words.join(', ') })
}

/** Always with its unit: a bare number would be milliseconds, and `letters: 30` would keep nothing. */
function span(min: string, max: string) {
  const error = `a duration from ${min} to ${max} with its unit, such as 30d or 12h, or forever`
  const isSpan = (written: string): boolean => written === 'forever' || isDuration(written, min, max)
  return z.string({ error }).refine(isSpan, { error })
}

function isDuration(written: string, min: string, max: string): boolean {
  try {
    const ms = parseDuration(written, 'duration')
    return ms >= parseDuration(min, 'min') && ms <= parseDuration(max, 'max')
  } catch (error) {
    if (hasCode(error, 'bad-option')) return false
    throw error
  }
}

function list<T extends z.ZodType>(item: T, most: number) {
  const error = `a list of at most ${most} items`
  return z.array(item, { error }).max(most, { error })
}

function section<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, { error: `a mapping with ${Object.keys(shape).join(', ')}` })
}

const server = section({
  host: text(255).optional().meta({
    description: 'The address to listen on. Any other than a loopback address needs `tls` or `behindProxy`.',
    default: defaults.host,
  }),
  port: wholeNumber(1, 65_535).optional().meta({ description: 'The port to listen on.', default: defaults.port }),
  behindProxy: z
    .union([z.boolean(), z.enum(['true', 'false'])], { error: 'true or false' })
    .optional()
    .meta({
      description: 'Somebody in front of the server speaks TLS, and its `X-Forwarded-*` headers are believed.',
      default: defaults.behindProxy,
    }),
  tls: section({
    cert: text(4096).meta({ description: 'The file of the certificate chain, in PEM.' }),
    key: text(4096).meta({ description: 'The file of the private key, in PEM.' }),
  })
    .optional()
    .meta({ description: 'Speak TLS.' }),
}).meta({ description: 'Where the control plane listens.' })

const connectionName = /^[\w.-]{1,100}$/
const connectionNames = 'names of 1 to 100 letters, digits, dots, dashes and underscores'

const connections = z
  .record(
    z.string().regex(connectionName),
    z.looseObject(
      {
        transport: oneOf(transportNames).meta({
          description: 'The kind of broker. Beside it stand the options of the transport.',
        }),
      },
      { error: 'a mapping with transport and the options of that transport' },
    ),
    { error: ({ code }) => (code === 'invalid_key' ? connectionNames : 'a mapping of connections by their names') },
  )
  .meta({ description: 'The brokers, by names of your own.' })

const returnTo = section({
  channel: text(500).meta({ description: 'The channel to send to.' }),
  connection: text(100).optional().meta({ description: 'Where that is another connection than that of the source.' }),
  group: text(500)
    .optional()
    .meta({ description: 'The only consumer group or subscription that is to get it, where the broker can do that.' }),
}).meta({ description: 'Where replays go when the letter does not say where it came from.' })

const source = section({
  connection: text(100).meta({ description: 'One of `connections`.' }),
  channel: text(500).meta({ description: 'The dead-letter channel.' }),
  part: oneOf(['dead-letter']).optional().meta({ description: 'The sub-queue of the channel, where the broker has one.' }),
  group: text(500).optional().meta({ description: 'The consumer group or subscription to read as, where the broker has them.' }),
  mode: oneOf(['watch', 'follow', 'collect']).meta({
    description:
      '`watch` only counts; `follow` copies letters and leaves them on the broker; `collect` takes them over from the broker. There is no default: whether letters leave the broker is yours to say.',
  }),
  returnTo: returnTo.optional(),
})

const retention = section({
  letters: span('1h', '100000d')
    .optional()
    .meta({
      description: 'How long a letter is kept after it was settled: replayed or discarded.',
      default: defaults.letters,
      examples: ['30d', 'forever'],
    }),
  open: span('1d', '100000d')
    .optional()
    .meta({
      description: 'How long a letter is kept that nobody has settled. Then it is lost.',
      default: defaults.open,
      examples: ['forever', '365d'],
    }),
  audit: span('1d', '100000d')
    .optional()
    .meta({ description: 'How long the audit trail is kept.', default: defaults.audit, examples: ['400d'] }),
  count: wholeNumber(1, 1_000_000_000).optional().meta({
    description:
      'The most letters that are kept. Settled ones go first, the oldest before the others; open ones never go for this.',
  }),
}).meta({ description: 'What is deleted, and when.' })

const mask = section({
  headers: list(text(500), 1000)
    .optional()
    .meta({
      description: 'Headers whose values are hidden, beside those that always are. `*` stands for any characters.',
      examples: [['x-patient-*']],
    }),
  paths: list(text(500), 1000)
    .optional()
    .meta({ description: 'Paths into JSON bodies whose values are hidden.', examples: [['$.card.number', '**.password']] }),
}).meta({ description: 'What people without the right to reveal payloads do not see.' })

/** The only description of the file: it checks, and the published JSON Schema and the table in the documentation are written from it. */
export const configSchema: z.ZodType<WrittenConfig> = section({
  vault: text(4096).optional().meta({
    description: 'The database file in which letters, causes, replays and the audit trail are kept.',
    default: defaults.vault,
  }),
  server: server.optional(),
  connections: connections.optional(),
  sources: list(source, 1000).optional().meta({ description: 'The dead-letter channels to look after.' }),
  retention: retention.optional(),
  mask: mask.optional(),
})
