import { z } from 'zod'
import { weekdays } from '../core/alerts/maintenance-window.ts'
import type { WrittenRule } from '../core/alerts/rule-options.ts'
import { severities } from '../core/alerts/severity.ts'
import { type NotifierType, notifierTypes } from '../notifiers/kinds.ts'
import { type Role, roles } from '../server/rights.ts'
import { transportNames } from '../transports/registry.ts'
import type { SourceMode } from './config.ts'
import {
  flag,
  issuerUrl,
  limitedSpan,
  list,
  oneOf,
  section,
  span,
  text,
  truth,
  webOrigin,
  wholeNumber,
  wholeNumberOnly,
} from './schema-fields.ts'

/** `redrive.yaml` as it is written, once it has been found to be in order. Defaults are not filled in yet. */
export interface WrittenConfig {
  readonly vault?: string | undefined
  readonly encryption?: WrittenEncryption | undefined
  readonly server?: WrittenServer | undefined
  readonly connections?: Readonly<Record<string, { readonly transport: string; readonly [option: string]: unknown }>> | undefined
  readonly sources?: readonly WrittenSource[] | undefined
  readonly retention?: (WrittenRetention & { readonly replays?: string | undefined }) | undefined
  readonly triage?: readonly WrittenTriage[] | undefined
  readonly replays?: { readonly needsSecondPersonAbove?: number | string | undefined } | undefined
  readonly mask?: { readonly [K in 'headers' | 'paths']?: readonly string[] | undefined } | undefined
  readonly rules?: readonly WrittenRule[] | undefined
  readonly maintenance?: readonly WrittenWindow[] | undefined
  readonly notifiers?: Readonly<Record<string, { readonly type: NotifierType; readonly [option: string]: unknown }>> | undefined
  readonly alerting?: WrittenAlerting | undefined
  readonly otlp?: WrittenOtlp | undefined
  readonly login?: WrittenLogin | undefined
}

export interface WrittenLogin {
  readonly passwords?: boolean | 'true' | 'false' | undefined
  readonly oidc?: WrittenOidc | undefined
}

export interface WrittenOidc {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly name?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly groupsClaim?: string | undefined
  readonly nameClaim?: string | undefined
  readonly groups?: readonly ({ readonly group: string } & WrittenGrant)[] | undefined
  readonly others?: WrittenGrant | undefined
}

export interface WrittenGrant {
  readonly role: Role
  readonly sources?: readonly string[] | undefined
  readonly reveal?: boolean | undefined
}

export interface WrittenEncryption {
  readonly key: WrittenKey
  readonly formerKeys?: readonly WrittenKey[] | undefined
}

/** One of both. */
export interface WrittenKey {
  readonly env?: string | undefined
  readonly file?: string | undefined
}

export interface WrittenAlerting {
  readonly wait?: string | undefined
  readonly interval?: string | undefined
  readonly repeat?: string | undefined
  readonly repeatCritical?: string | undefined
  readonly redactHosts?: boolean | undefined
}

export interface WrittenOtlp {
  readonly url: string
  readonly every?: string | undefined
  readonly timeout?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly resource?: Readonly<Record<string, string>> | undefined
  readonly allowAddresses?: readonly string[] | undefined
  readonly allowPorts?: readonly number[] | undefined
}

export interface WrittenWindow {
  readonly name: string
  readonly alerts: readonly string[]
  readonly days: readonly (typeof weekdays)[number][]
  readonly from: string
  readonly to: string
  readonly timeZone: string
}

export interface WrittenServer {
  readonly host?: string | undefined
  readonly port?: number | string | undefined
  readonly behindProxy?: boolean | 'true' | 'false' | undefined
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  readonly publicUrl?: string | undefined
  readonly session?: { readonly [K in 'idle' | 'absolute']?: string | undefined } | undefined
}

export interface WrittenRetention {
  readonly letters?: string | undefined
  readonly open?: string | undefined
  readonly count?: number | string | undefined
}

export interface WrittenSource {
  readonly connection: string
  readonly channel: string
  readonly part?: 'dead-letter' | undefined
  readonly group?: string | undefined
  readonly mode: SourceMode
  readonly returnTo?: WrittenRoute | undefined
  readonly searchBodies?: boolean | 'true' | 'false' | undefined
  readonly retention?: WrittenRetention | undefined
  readonly probeEvery?: string | undefined
  readonly schemas?: Readonly<Record<string, string>> | undefined
}

export interface WrittenTriage {
  readonly name: string
  readonly filter: string
  readonly assign?: string | undefined
  readonly discard?: boolean | 'true' | 'false' | undefined
  readonly replayOnRecovery?: WrittenRecovery | undefined
}

export interface WrittenRecovery {
  readonly rate?: number | string | undefined
  readonly first?: number | string | undefined
  readonly observe?: string | undefined
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
  searchBodies: false,
  letters: '30d',
  open: 'forever',
  replays: '365d',
  idle: '30m',
  absolute: '10h',
  rate: 50,
  first: 1,
  observe: '2m',
  wait: '30s',
  interval: '5m',
  repeat: '4h',
  redactHosts: false,
  every: '30s',
  timeout: '10s',
  passwords: true,
  name: 'Sign in with OpenID Connect',
  scopes: ['openid', 'profile'],
  groupsClaim: 'groups',
  nameClaim: 'preferred_username',
  reveal: false,
} as const

const eitherKey = 'either env or file'

const key = () =>
  section({
    env: text(200)
      .optional()
      .meta({ description: 'The environment variable that holds the key: 32 bytes in base64, or as 64 hexadecimal digits.' }),
    file: text(4096)
      .optional()
      .meta({ description: 'The file that holds it, written in the same way. Nobody but its owner and group may read it.' }),
  }).refine(({ env, file }) => (env === undefined) !== (file === undefined), { error: eitherKey })

const encryption = section({
  key: key().meta({
    description: 'The key that new letters are sealed with.',
    examples: [{ env: 'REDRIVE_VAULT_KEY' }, { file: '/run/secrets/redrive-vault-key' }],
  }),
  formerKeys: list(key(), 20).optional().meta({
    description: 'Keys of before, until `redrive vault rekey` is done and says that nothing needs them any more.',
  }),
}).meta({
  description:
    'Seals bodies and headers in the vault, with AES-256-GCM and a key for each letter: vault.md#encryption. Without it they are kept in clear.',
})

const server = section({
  host: text(255).optional().meta({
    description: 'The address to listen on. Any other than a loopback address needs `tls` or `behindProxy`.',
    default: defaults.host,
  }),
  port: wholeNumber(1, 65_535).optional().meta({ description: 'The port to listen on.', default: defaults.port }),
  behindProxy: flag().optional().meta({
    description: 'Somebody in front of the server speaks TLS, and its `X-Forwarded-*` headers are believed.',
    default: defaults.behindProxy,
  }),
  tls: section({
    cert: text(4096).meta({ description: 'The file of the certificate chain, in PEM.' }),
    key: text(4096).meta({ description: 'The file of the private key, in PEM.' }),
  })
    .optional()
    .meta({ description: 'Speak TLS.' }),
  publicUrl: webOrigin()
    .optional()
    .meta({
      description: 'The address that browsers see, where a proxy in front of the server has another one. Links begin with it.',
      examples: ['https://redrive.example'],
    }),
  session: section({
    idle: limitedSpan('1m', '24h').optional().meta({
      description: 'How long a session lasts that nobody uses.',
      default: defaults.idle,
    }),
    absolute: limitedSpan('5m', '30d').optional().meta({
      description: 'How long a session lasts in any case.',
      default: defaults.absolute,
    }),
  })
    .optional()
    .meta({ description: 'When people have to sign in again.' }),
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

const notifiers = z
  .record(
    z.string().regex(connectionName),
    z.looseObject(
      {
        type: oneOf(notifierTypes).meta({ description: 'The kind of receiver. Beside it stand the options of that kind.' }),
      },
      { error: 'a mapping with type and the options of that type' },
    ),
    { error: ({ code }) => (code === 'invalid_key' ? connectionNames : 'a mapping of notifiers by their names') },
  )
  .meta({ description: 'Who is told about alerts, by names of your own. docs/notifiers.md has the options of each type.' })

const alerting = section({
  wait: limitedSpan('0s', '1h').optional().meta({
    description: 'How long the first alert of a group waits for others. What is urgent never waits.',
    default: defaults.wait,
  }),
  interval: limitedSpan('1s', '1d')
    .optional()
    .meta({ description: 'How long after it has spoken a group may speak again.', default: defaults.interval }),
  repeat: limitedSpan('1m', '30d')
    .optional()
    .meta({ description: 'How long until a group whose alerts still fire says so once more.', default: defaults.repeat }),
  repeatCritical: limitedSpan('1m', '30d')
    .optional()
    .meta({
      description: 'The same while a critical alert of the group fires; as `repeat` where it is not given.',
      examples: ['1h'],
    }),
  redactHosts: truth().optional().meta({
    description: '`true` keeps the name of this machine out of notifications: `instance` is then a short hash of it.',
    default: defaults.redactHosts,
  }),
}).meta({ description: 'When people are told about alerts, and what about this machine.' })

const otlp = section({
  url: text(4000).meta({
    description: 'Where the collector takes OTLP over HTTP. Without a path it is `/v1/metrics`.',
    examples: ['https://collector.example:4318'],
  }),
  every: limitedSpan('1s', '1h').optional().meta({ description: 'How often it is told.', default: defaults.every }),
  timeout: limitedSpan('100ms', '1m')
    .optional()
    .meta({ description: 'How long one request may take.', default: defaults.timeout }),
  headers: z
    .record(z.string(), text(4096), { error: 'a mapping of headers to their values' })
    .optional()
    .meta({ description: 'What the collector wants to be sent, such as a token. Take it from the environment.' }),
  resource: z
    .record(z.string(), text(500), { error: 'a mapping of names to texts' })
    .optional()
    .meta({
      description:
        'What stands beside every count, beside `service.name` (`redrive`) and `service.instance.id` (the name of the machine).',
      examples: [{ 'deployment.environment.name': 'production' }],
    }),
  allowAddresses: list(text(100), 100)
    .optional()
    .meta({
      description: 'Addresses and networks that the collector may have although they are not on the internet.',
      examples: [['127.0.0.1', '10.1.0.0/16']],
    }),
  allowPorts: list(wholeNumberOnly(1, 65_535), 100)
    .optional()
    .meta({ description: 'Ports that it may have beside 80, 443 and 4318.' }),
}).meta({ description: 'A collector of OpenTelemetry that is told what `/metrics` shows: metrics.md.' })

/** People; programs that report have tokens. */
const rolesOfPeople = roles.filter((role) => role !== 'consumer')
const isWhole = ({ role, sources }: WrittenGrant): boolean => role !== 'admin' || (sources?.includes('*') ?? true)
const wholeAdmin = { error: 'all sources for an admin, ["*"] or none', path: ['sources'] }

const grant = {
  role: oneOf(rolesOfPeople).meta({ description: 'What they may do: security.md.' }),
  sources: list(text(500), 100)
    .min(1, { error: 'at least one pattern of connection/channel' })
    .optional()
    .meta({
      description: 'Patterns of `connection/channel`, in which `*` stands for any characters; all where it is not given.',
      examples: [['shop/payments.*']],
    }),
  reveal: truth().optional().meta({ description: 'Whether they may see payloads as they are.', default: defaults.reveal }),
}

const oidc = section({
  issuer: issuerUrl().meta({
    description: 'The issuer, as it calls itself; below it stands `/.well-known/openid-configuration`.',
    examples: ['https://login.example/realms/ops'],
  }),
  clientId: text(500).meta({ description: 'What the issuer calls this control plane.' }),
  clientSecret: text(1000).meta({
    description: 'What shows that it is this one. Take it from the environment.',
  }),
  name: text(60).optional().meta({ description: 'What the button says.', default: defaults.name }),
  scopes: list(text(200), 20)
    .refine((scopes) => scopes.includes('openid') && scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)), {
      error: 'scopes without spaces, openid among them',
    })
    .optional()
    .meta({
      description: 'What the issuer is asked for.',
      default: defaults.scopes,
      examples: [['openid', 'profile', 'groups']],
    }),
  groupsClaim: text(200).optional().meta({
    description: 'The claim that holds the groups of somebody; dots lead into objects, as in `realm_access.roles`.',
    default: defaults.groupsClaim,
  }),
  nameClaim: text(200).optional().meta({
    description:
      'The claim that somebody is called by when they come for the first time. Who they are is the issuer and its `sub`.',
    default: defaults.nameClaim,
  }),
  groups: list(
    section({ group: text(500).meta({ description: 'As the issuer writes it.' }), ...grant }).refine(isWhole, wholeAdmin),
    200,
  )
    .optional()
    .meta({ description: 'What groups may do. The first one in this list that somebody is in counts, anew at every sign-in.' }),
  others: section(grant).refine(isWhole, wholeAdmin).optional().meta({
    description: 'What somebody may do who is in none of these groups. Without it they are refused.',
  }),
}).meta({ description: 'Sign in with an issuer of OpenID Connect: login.md.' })

const login = section({
  passwords: flag().optional().meta({
    description: '`false`: passwords and one-time links let nobody in, and `oidc` is the only door.',
    default: defaults.passwords,
  }),
  oidc: oidc.optional(),
}).meta({ description: 'How people come in.' })

const returnTo = section({
  channel: text(500).meta({ description: 'The channel to send to.' }),
  connection: text(100).optional().meta({ description: 'Where that is another connection than that of the source.' }),
  group: text(500)
    .optional()
    .meta({ description: 'The only consumer group or subscription that is to get it, where the broker can do that.' }),
}).meta({ description: 'Where replays go when the letter does not say where it came from.' })

/** `of`: whose letters; the defaults are those of the file as a whole. */
function retention(of: string, fallback: { readonly letters?: string; readonly open?: string }) {
  return section({
    letters: span('1h', '100000d')
      .optional()
      .meta({
        description: `How long a letter${of} is kept after it was settled: replayed or discarded.`,
        ...(fallback.letters !== undefined && { default: fallback.letters }),
        examples: ['30d', 'forever'],
      }),
    open: span('1d', '100000d')
      .optional()
      .meta({
        description: `How long a letter${of} is kept that nobody has settled. Then it is lost.`,
        ...(fallback.open !== undefined && { default: fallback.open }),
        examples: ['forever', '365d'],
      }),
    count: wholeNumber(1, 1_000_000_000)
      .optional()
      .meta({
        description: `The most letters${of} that are kept. Settled ones go for it, the oldest before the others; open ones never.`,
      }),
  })
}

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
  searchBodies: flag().optional().meta({
    description: 'Whether letters can be found by words in their bodies. Their words then stand in the vault a second time.',
    default: defaults.searchBodies,
  }),
  retention: retention(' of this source', {}).optional().meta({
    description: 'What is deleted of this source, and when; what it does not say is as for all of them.',
  }),
  probeEvery: limitedSpan('250ms', '1d')
    .optional()
    .meta({
      description:
        'How often its letters are counted for alerts. Where nobody says: `1m` where the connection asks a management API and on SQS and Service Bus, `10s` on Kafka and PostgreSQL, else `1s`.',
      examples: ['1m', '250ms'],
    }),
  schemas: z
    .record(z.string().min(1).max(500), text(4096), { error: 'a mapping of message types to files' })
    .optional()
    .meta({
      description:
        'Files with a JSON Schema (2020-12 or draft 7) by the type of the message; `*` is for all other types. A letter is not edited into something that its schema does not allow.',
      examples: [{ 'order.placed': './schemas/order.json' }],
    }),
})

const triage = section({
  name: text(100).meta({ description: 'What the audit trail calls it.' }),
  filter: text(4096).meta({
    description: 'Which letters, in the words of filters.md.',
    examples: ['channel:clicks error:ClientGone'],
  }),
  assign: text(100).optional().meta({ description: 'Who looks after the causes of these letters, where nobody does yet.' }),
  discard: flag()
    .optional()
    .meta({ description: 'Put these letters out of sight as they come; they can be restored until retention takes them.' }),
  replayOnRecovery: section({
    rate: wholeNumber(1, 100_000).optional().meta({ description: 'Letters a second.', default: defaults.rate }),
    first: wholeNumber(1, 1_000_000).optional().meta({
      description: 'So many go first, and more only when those have succeeded. It stops when one comes back.',
      default: defaults.first,
    }),
    observe: limitedSpan('1s', '1d')
      .optional()
      .meta({ description: 'A letter that has not come back after this is taken to have succeeded.', default: defaults.observe }),
  })
    .optional()
    .meta({
      description:
        'Send these letters back, each once, when a consumer reports that the breaker of the channel has closed on which they died.',
      examples: [{ rate: 20 }],
    }),
})

const replays = section({
  needsSecondPersonAbove: wholeNumber(0, 1_000_000_000).optional().meta({
    description:
      'A replay of more letters than this is started by a second person, who has the right `replays:approve` and did not seal it. 0: every replay.',
  }),
}).meta({ description: 'What replays have to keep to.' })

const mask = section({
  headers: list(text(500), 1000)
    .optional()
    .meta({
      description: 'Headers whose values are hidden, beside those that always are. `*` stands for any characters.',
      examples: [['x-patient-*']],
    }),
  paths: list(text(500), 1000)
    .optional()
    .meta({
      description: 'Paths into JSON bodies whose values are hidden, beside those that always are.',
      examples: [['$.card.number', '**.password']],
    }),
}).meta({ description: 'What people without the right to reveal payloads do not see.' })

const limit = () => z.union([z.number(), z.string().max(40)], { error: 'a number, a share such as 5%, or a duration' })

const rule = section({
  id: text(100).meta({ description: 'The default rule that is changed, or a name of your own for another one.' }),
  like: text(100).optional().meta({ description: 'For a rule of your own: the default rule that it is like.' }),
  enabled: truth().optional().meta({ description: '`false` switches the rule off.' }),
  severity: oneOf(severities).optional().meta({ description: 'How urgent its alerts are.' }),
  source: text(500).optional().meta({ description: 'Only connections of this name; `*` stands for any characters.' }),
  queue: text(500).optional().meta({ description: 'Only channels of this name; `*` stands for any characters.' }),
  group: text(500).optional().meta({ description: 'Only this consumer group or subscription.' }),
  limit: limit()
    .optional()
    .meta({ description: 'What it compares with: a number, a share or a duration, as the rule needs it.' }),
  clear: limit().optional().meta({ description: 'What it must be below again before the alert may be resolved.' }),
  windows: list(limitedSpan('1s', '1d'), 4)
    .optional()
    .meta({ description: 'For a share: the windows in each of which it must be above its limit.' }),
  minSamples: wholeNumberOnly(0, 1_000_000_000)
    .optional()
    .meta({ description: 'For a share: fewer messages than that in a window say nothing.' }),
  for: limitedSpan('0s', '7d').optional().meta({ description: 'How long it must hold before the alert fires.' }),
  keepFiringFor: limitedSpan('0s', '7d')
    .optional()
    .meta({ description: 'How long it must be clear before the alert is resolved.' }),
  noData: oneOf(['unknown', 'fire', 'ok']).optional().meta({
    description:
      'What a look that fails means: nothing (`unknown`, which is what holds), that the condition holds (`fire`), or that it does not (`ok`).',
  }),
  labels: z
    .record(z.string().regex(/^[\w.-]{1,100}$/), text(500), { error: 'a mapping of names to texts' })
    .optional()
    .meta({ description: 'What routes and silences may know its alerts by.' }),
  runbook: text(2000).optional().meta({ description: 'Where the person who is called finds what to do.' }),
  correlationIds: truth().optional().meta({ description: '`false` keeps correlation ids out of its alerts.' }),
})

const timeOfDay = z
  .string({ error: 'a time such as 22:30' })
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'a time such as 22:30' })

const maintenanceWindow = section({
  name: text(100).meta({ description: 'What it is called.' }),
  alerts: list(text(700), 20)
    .min(1, { error: 'at least one matcher' })
    .meta({
      description:
        'Which alerts: `name=value`, `name!=value` or `name=~value` with `*` for any characters; all of them have to fit.',
      examples: [['source=shop', 'queue=~dlq.*']],
    }),
  days: list(oneOf(weekdays), 7)
    .min(1, { error: `at least one of ${weekdays.join(', ')}` })
    .meta({ description: 'The days on which it begins.' }),
  from: timeOfDay.meta({ description: 'When it begins.' }),
  to: timeOfDay.meta({ description: 'When it ends; before `from`, it is on the next day.' }),
  timeZone: text(100).meta({ description: 'Whose clock that is, such as `Europe/Berlin`.' }),
})

/** The only description of the file: it checks, and the published JSON Schema and the table in the documentation are written from it. */
export const configSchema: z.ZodType<WrittenConfig> = section({
  vault: text(4096).optional().meta({
    description:
      'Where letters, causes, replays and the audit trail are kept: a database file, or `postgres://…` for a PostgreSQL server, with `?schema=` for another schema than `redrive_vault`.',
    default: defaults.vault,
  }),
  encryption: encryption.optional(),
  server: server.optional(),
  connections: connections.optional(),
  sources: list(source, 1000).optional().meta({ description: 'The dead-letter channels to look after.' }),
  retention: retention('', defaults)
    .extend({
      replays: span('1d', '100000d')
        .optional()
        .meta({
          description: 'How long a replay is kept after it ended, with what became of each of its letters.',
          default: defaults.replays,
          examples: ['forever', '90d'],
        }),
    })
    .optional()
    .meta({ description: 'What is deleted, and when.' }),
  triage: list(triage, 200).optional().meta({ description: 'What is done by itself with letters as they come.' }),
  replays: replays.optional(),
  mask: mask.optional(),
  rules: list(rule, 500)
    .optional()
    .meta({ description: 'What is alerted about, where that differs from the defaults of docs/alerts.md.' }),
  maintenance: list(maintenanceWindow, 100).optional().meta({ description: 'Times at which nobody is told about some alerts.' }),
  notifiers: notifiers.optional(),
  alerting: alerting.optional(),
  otlp: otlp.optional(),
  login: login.optional(),
})
