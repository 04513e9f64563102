// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the placeholders of a configuration file

import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultRules } from '../core/alerts/default-rules.ts'
import { usualTimers } from '../core/alerts/grouping.ts'
import { hasCode } from '../core/errors.ts'
import { checkOptions, transportNames } from '../transports/registry.ts'
import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'
import type { Environment } from './environment.ts'
import { readConfig, readConfigFile } from './read-config.ts'

const usualAlerting = { timers: usualTimers, redactHosts: false }
const read = (lines: readonly string[], environment: Environment = {}): Promise<Config> =>
  readConfig(lines.join('\n'), { file: 'redrive.yaml', folder: '/etc/redrive', environment })

async function mistakesIn(lines: readonly string[], environment: Environment = {}): Promise<readonly string[]> {
  const error = await read(lines, environment).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof ConfigError)) throw new Error(`no mistake was found, but ${String(error)}`)
  expect(hasCode(error, 'bad-config')).toBe(true)
  expect(error.message.split('\n')).toHaveLength(error.mistakes.length)
  return error.message.split('\n')
}

const shop = ['connections:', '  shop: { transport: embedded, file: shop.db }']

describe('a configuration', () => {
  it('has a default for everything', async () => {
    expect(await read(['{}'])).toEqual({
      vault: '/etc/redrive/redrive.db',
      server: { host: '127.0.0.1', port: 7333, behindProxy: false, session: { idle: 30 * 60_000, absolute: 10 * 3_600_000 } },
      connections: new Map(),
      sources: [],
      retention: { letters: 30 * 86_400_000, replays: 365 * 86_400_000 },
      mask: { headers: [], paths: [] },
      replays: {},
      triage: [],
      rules: defaultRules,
      maintenance: [],
      notifiers: new Map(),
      alerting: usualAlerting,
      login: { passwords: true },
    })
  })

  it('may say all of it', async () => {
    const config = await read(
      [
        'vault: data/vault.db',
        'server:',
        '  host: 0.0.0.0',
        '  port: ${PORT}',
        '  behindProxy: ${PROXIED:-true}',
        '  tls: { cert: tls/cert.pem, key: /run/key.pem }',
        '  publicUrl: https://redrive.example/',
        '  session: { idle: 5m, absolute: 2h }',
        'connections:',
        '  shop:',
        '    transport: rabbitmq',
        '    url: ${RABBITMQ_URL}',
        '    heartbeat: 5s',
        '    management: { url: "http://${HOST:-localhost}:15672", user: monitor, password: "${PASSWORD}" }',
        '  log: { transport: kafka, bootstrapServers: [a:9092, b:9092] }',
        'sources:',
        '  - connection: shop',
        '    channel: dlq.orders',
        '    mode: collect',
        '    returnTo: { channel: orders }',
        '    retention: { open: 7d, count: 100 }',
        '  - { connection: log, channel: billing.dlq, group: redrive, mode: follow, returnTo: { connection: shop, channel: billing, group: billing } }',
        '  - { connection: shop, channel: orders, part: dead-letter, mode: watch, returnTo: { channel: orders } }',
        'retention: { letters: 12h, open: 365d, count: 1000000, replays: forever }',
        'triage:',
        '  - { name: clicks, filter: "channel:clicks error:ClientGone", discard: true }',
        '  - { name: refunds, filter: channel:refunds, assign: "${TEAM:-refunds}", discard: false }',
        '  - { name: outages, filter: error:ETIMEDOUT, replayOnRecovery: { rate: "20", observe: 30s } }',
        'replays: { needsSecondPersonAbove: 100 }',
        'mask:',
        '  headers: [authorization, x-patient-*]',
        '  paths: [$.card.number]',
      ],
      { PORT: '8443', RABBITMQ_URL: 'amqp://u:p@broker/shop', PASSWORD: '12345' },
    )
    expect(config).toEqual({
      vault: '/etc/redrive/data/vault.db',
      server: {
        host: '0.0.0.0',
        port: 8443,
        behindProxy: true,
        tls: { cert: '/etc/redrive/tls/cert.pem', key: '/run/key.pem' },
        publicUrl: 'https://redrive.example',
        session: { idle: 5 * 60_000, absolute: 2 * 3_600_000 },
      },
      connections: new Map([
        [
          'shop',
          {
            transport: 'rabbitmq',
            options: {
              url: 'amqp://u:p@broker/shop',
              heartbeat: '5s',
              management: { url: 'http://localhost:15672', user: 'monitor', password: '12345' },
            },
          },
        ],
        ['log', { transport: 'kafka', options: { bootstrapServers: ['a:9092', 'b:9092'] } }],
      ]),
      sources: [
        {
          connection: 'shop',
          channel: 'dlq.orders',
          mode: 'collect',
          returnTo: { connection: 'shop', channel: 'orders' },
          retention: { letters: 12 * 3_600_000, open: 7 * 86_400_000, count: 100 },
        },
        {
          connection: 'log',
          channel: 'billing.dlq',
          group: 'redrive',
          mode: 'follow',
          returnTo: { connection: 'shop', channel: 'billing', group: 'billing' },
        },
        {
          connection: 'shop',
          channel: 'orders',
          part: 'dead-letter',
          mode: 'watch',
          returnTo: { connection: 'shop', channel: 'orders' },
        },
      ],
      retention: { letters: 12 * 3_600_000, open: 365 * 86_400_000, count: 1_000_000 },
      mask: { headers: ['authorization', 'x-patient-*'], paths: ['$.card.number'] },
      replays: { needsSecondPersonAbove: 100 },
      triage: [
        { name: 'clicks', filter: 'channel:clicks error:ClientGone', discard: true },
        { name: 'refunds', filter: 'channel:refunds', assign: 'refunds' },
        {
          name: 'outages',
          filter: 'error:ETIMEDOUT',
          replayOnRecovery: { rate: 20, canary: { first: 1, growth: 5, tolerated: 0 }, observe: 30_000 },
        },
      ],
      rules: defaultRules,
      maintenance: [],
      notifiers: new Map(),
      alerting: usualAlerting,
      login: { passwords: true },
    })
  })

  it('finds files from its own folder, wherever the process was started', async () => {
    const { connections } = await read([
      'connections:',
      '  near: { transport: embedded, file: ./shop.db }',
      '  far: { transport: embedded, file: /var/shop.db }',
    ])
    expect(connections.get('near')?.options).toEqual({ file: '/etc/redrive/shop.db' })
    expect(connections.get('far')?.options).toEqual({ file: '/var/shop.db' })
  })

  it('may use anchors, and leave a key without a value', async () => {
    const config = await read([
      ...shop,
      'sources:',
      '  - &one { connection: shop, channel: a, mode: watch }',
      '  - connection: shop',
      '    channel: b',
      '    mode: watch',
      '    returnTo: &route { channel: c }',
      '  - { connection: shop, channel: d, mode: watch, returnTo: *route }',
      'server:',
      'retention: { letters: }',
    ])
    expect(config.sources[2]?.returnTo).toEqual({ connection: 'shop', channel: 'c' })
    expect(config.server.port).toBe(7333)
  })

  it('keeps a placeholder that has a second dollar sign, and fills texts only', async () => {
    const { mask } = await read(['mask: { headers: ["$${NAME}", "${LIST}"] }'], { LIST: '[a, b]: {}' })
    expect(mask.headers).toEqual(['${NAME}', '[a, b]: {}'])
  })
})

describe('a mistake is told with its line and column', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'an unknown section',
      ['sorces: []'],
      [
        '1:1: sorces is not an option. Did you mean sources? Allowed: vault, encryption, server, connections, sources, retention, triage, replays, mask, rules, maintenance, notifiers, alerting, otlp, login.',
      ],
    ],
    [
      'an unknown option',
      ['server:', '  host: localhost', '  prot: 1'],
      ['3:3: server.prot is not an option. Did you mean port? Allowed: host, port, behindProxy, tls, publicUrl, session.'],
    ],
    [
      'an unknown option of an item',
      [...shop, 'sources:', '- connection: shop', '  channel: a', '  mode: watch', '  return_to: x'],
      [
        '7:3: sources[0].return_to is not an option. Did you mean returnTo? Allowed: connection, channel, part, group, mode, returnTo, searchBodies, retention, probeEvery, schemas.',
      ],
    ],
    [
      'a number out of range',
      ['server: { port: 70000 }'],
      ['1:17: server.port is 70000. Allowed: a whole number from 1 to 65535.'],
    ],
    [
      'a number that is text',
      ['server:', '  port: "http"'],
      ['2:9: server.port is "http". Allowed: a whole number from 1 to 65535.'],
    ],
    ['neither true nor false', ['server: { behindProxy: yes }'], ['1:24: server.behindProxy is "yes". Allowed: true or false.']],
    ['text that is a number', ['vault: 5'], ['1:8: vault is 5. Allowed: text of 1 to 4096 characters.']],
    ['an empty text', ['vault: ""'], ['1:8: vault is "". Allowed: text of 1 to 4096 characters.']],
    [
      'a section that is text',
      ['server: here'],
      ['1:9: server is "here". Allowed: a mapping with host, port, behindProxy, tls, publicUrl, session.'],
    ],
    ['a list that is a mapping', ['sources: { a: 1 }'], ['1:10: sources is an object. Allowed: a list of at most 1000 items.']],
    [
      'an item that is text',
      ['sources:', '  - dlq'],
      [
        '2:5: sources[0] is "dlq". Allowed: a mapping with connection, channel, part, group, mode, returnTo, searchBodies, retention, probeEvery, schemas.',
      ],
    ],
    [
      'a word that is none',
      [...shop, 'sources:', '- { connection: shop, channel: a, mode: colect }'],
      ['4:41: sources[0].mode is "colect". Did you mean collect? Allowed: watch, follow, collect.'],
    ],
    [
      'what is missing',
      [...shop, 'sources:', '- connection: shop'],
      [
        '4:3: sources[0].channel is missing; it must be given. Allowed: text of 1 to 500 characters.',
        '4:3: sources[0].mode is missing; it must be given. Allowed: watch, follow, collect.',
      ],
    ],
    [
      'a certificate without its key',
      ['server:', '  tls:', '    cert: a.pem'],
      ['3:5: server.tls.key is missing; it must be given. Allowed: text of 1 to 4096 characters.'],
    ],
    [
      'a duration without a unit',
      ['retention: { letters: 30 }'],
      ['1:23: retention.letters is 30. Allowed: a duration from 1h to 100000d with its unit, such as 30d or 12h, or forever.'],
    ],
    [
      'a duration that is none',
      ['retention:', '  open: a year'],
      ['2:9: retention.open is "a year". Allowed: a duration from 1d to 100000d with its unit, such as 30d or 12h, or forever.'],
    ],
    [
      'a duration that is too short',
      ['retention: { letters: 1ms }'],
      ['1:23: retention.letters is "1ms". Allowed: a duration from 1h to 100000d with its unit, such as 30d or 12h, or forever.'],
    ],
    [
      'a rule that cannot be read, one that does nothing, and one that stands there twice',
      [
        'triage:',
        '- { name: a, filter: "age>soon", discard: true }',
        '- { name: b, filter: channel:x, discard: false }',
        '- { name: a, filter: channel:y, assign: me }',
      ],
      [
        '2:22: triage[0].filter cannot be read. Character 5 of the filter: "soon" is not a duration such as 90s, 1h30m or 2d.',
        '3:3: triage[1] does nothing. Give it assign, discard or replayOnRecovery.',
        '4:11: triage[2] has the name of triage[0]. Give it another.',
      ],
    ],
    [
      'a session without an end',
      ['server:', '  session: { idle: forever }'],
      ['2:20: server.session.idle is "forever". Allowed: a duration from 1m to 24h with its unit, such as 30m or 12h.'],
    ],
    [
      'a retention of one source',
      [...shop, 'sources:', '- { connection: shop, channel: a, mode: watch, retention: { count: some } }'],
      ['4:68: sources[0].retention.count is "some". Allowed: a whole number from 1 to 1000000000.'],
    ],
    [
      'an address that is more than one',
      ['server:', '  publicUrl: https://redrive.example/app'],
      [
        '2:14: server.publicUrl is something else, which is not shown since it may be a secret. Allowed: an address such as https://redrive.example, without a path.',
      ],
    ],
    [
      'an item of a list',
      ['mask:', '  headers:', '    - a', '    - 7'],
      ['4:7: mask.headers[1] is 7. Allowed: text of 1 to 500 characters.'],
    ],
    [
      'a name that none can have',
      ['connections:', '  my shop: { transport: memory }'],
      ['2:3: "my shop" cannot be a name here. Allowed: names of 1 to 100 letters, digits, dots, dashes and underscores.'],
    ],
    [
      'a connection that is text',
      ['connections:', '  shop: rabbitmq'],
      [
        '2:9: connections.shop is something else, which is not shown since it may be a secret. Allowed: a mapping with transport and the options of that transport.',
      ],
    ],
    [
      'a connection without a transport',
      ['connections:', '  shop: {}'],
      [`2:9: connections.shop.transport is missing; it must be given. Allowed: ${transportNames.join(', ')}.`],
    ],
    [
      'a transport that is none',
      ['connections: { shop: { transport: rabitmq } }'],
      [`1:35: connections.shop.transport is "rabitmq". Did you mean rabbitmq? Allowed: ${transportNames.join(', ')}.`],
    ],
    [
      'an option that the transport does not know',
      ['connections:', '  shop:', '    transport: embedded', '    file: a.db', '    durabilty: full'],
      [
        '5:5: connections.shop.durabilty is not an option. Did you mean "durability"? Allowed: file, maxBody, pollEvery, sweepEvery, busyTimeout, durability, clock, onCommit.',
      ],
    ],
    [
      'an option that the transport refuses',
      ['connections:', '  shop: { transport: embedded, file: a.db, durability: some }'],
      ['2:56: connections.shop.durability is "some". Allowed: "full", "normal".'],
    ],
    [
      'an option that the transport needs',
      ['connections:', '  shop:', '    transport: embedded'],
      ['3:5: connections.shop.file is missing; it must be given.'],
    ],
    [
      'what a transport says about several options',
      ['connections:', '  q: { transport: rabbitmq, url: "amqp://a", urls: ["amqp://b"] }'],
      ['2:6: connections.q: give url or urls, not both.'],
    ],
    [
      'a nested option of a transport',
      ['connections:', '  q:', '    transport: rabbitmq', '    url: amqp://a', '    management:', '      usr: me'],
      ['6:7: connections.q.management.usr is not an option. Did you mean "user"? Allowed: url, user, password.'],
    ],
    [
      'a connection that is not there',
      [...shop, 'sources:', '- { connection: shp, channel: a, mode: watch }'],
      ['4:17: sources[0].connection is "shp", which is none of the connections. Did you mean shop? Allowed: shop.'],
    ],
    [
      'no connection at all',
      ['sources:', '- { connection: shop, channel: a, mode: watch }'],
      ['2:17: sources[0].connection is "shop", which is none of the connections. There are none; add one under connections.'],
    ],
    [
      'a way back to a connection that is not there',
      [...shop, 'sources:', '- { connection: shop, channel: a, mode: watch, returnTo: { channel: b, connection: x } }'],
      ['4:84: sources[0].returnTo.connection is "x", which is none of the connections. Allowed: shop.'],
    ],
    [
      'a way back that leads nowhere else',
      [...shop, 'sources:', '- { connection: shop, channel: a, mode: watch, returnTo: { channel: a } }'],
      [
        '4:69: sources[0].returnTo.channel is the dead-letter channel itself: replays would come back as letters. Name the channel that the messages came from.',
      ],
    ],
    [
      'a source that stands there twice',
      [
        ...shop,
        'sources:',
        '- { connection: shop, channel: a, mode: watch }',
        '- { connection: shop, channel: a, mode: collect }',
      ],
      ['5:3: sources[1] is the same source as sources[0]. Remove one of them.'],
    ],
    [
      'a variable that is not set',
      ['server:', '  host: ${NO_HOST}'],
      ['2:9: server.host needs the environment variable NO_HOST, which is not set. Set it, or write a default: ${NO_HOST:-…}.'],
    ],
    [
      'a key that stands there twice',
      ['server: { port: 1 }', 'vault: a', 'server: { port: 2 }'],
      ['3:1: The key "server" stands twice in one mapping.'],
    ],
    ['a key that is a mapping', ['{ a: 1 }: 2'], ['1:1: This cannot be a key.']],
    ['a key that is no name', ['__proto__: { polluted: 1 }'], ['1:1: This cannot be a key.']],
    [
      'a tag that would run code',
      ['vault: !!js/function "function () { return process }"'],
      ['1:22: Tags, such as !!js/function, have no meaning here.'],
    ],
    ['a tag of one’s own', ['vault: !file a'], ['1:14: Tags, such as !!js/function, have no meaning here.']],
    ['a binary', ['vault: !!binary aGk='], ['1:17: Tags, such as !!js/function, have no meaning here.']],
    [
      'a merge',
      [...shop, 'server:', '  <<: { port: 1 }'],
      ['4:3: server["<<"] is not an option. Allowed: host, port, behindProxy, tls, publicUrl, session.'],
    ],
    ['an alias without an anchor', ['vault: *nowhere'], ['1:8: There is no anchor of this name before this alias.']],
    ['an alias of itself', ['server: &loop', '  tls: *loop'], ['2:8: This is nested more than 32 deep.']],
    ['a second document', ['vault: a', '---', 'vault: b'], ['2:1: A second document begins here; the file must be one.']],
    [
      'a directive',
      ['%YAML 1.1', '---', 'server: { behindProxy: yes }'],
      ['1:1: Directives have no meaning here: the file is YAML 1.2.'],
    ],
    [
      'a list instead of a mapping',
      ['- vault'],
      [
        '1:1: The file is an array. Allowed: a mapping with vault, encryption, server, connections, sources, retention, triage, replays, mask, rules, maintenance, notifiers, alerting, otlp, login.',
      ],
    ],
    [
      'a text instead of a mapping',
      ['redrive'],
      [
        '1:1: The file is "redrive". Allowed: a mapping with vault, encryption, server, connections, sources, retention, triage, replays, mask, rules, maintenance, notifiers, alerting, otlp, login.',
      ],
    ],
    [
      'an empty file',
      ['# nothing yet'],
      [
        '1:1: The file is empty. Allowed: a mapping with vault, encryption, server, connections, sources, retention, triage, replays, mask, rules, maintenance, notifiers, alerting, otlp, login.',
      ],
    ],
    ['a tab', ['server:', '\tport: 1'], ['2:1: Tabs cannot indent; use spaces.']],
    ['a quote that is not closed', ['vault: "a', 'server: {}'], ['2:11: A quote, a bracket or a colon is missing.']],
    [
      'a colon in a text',
      ['vault: a: b'],
      ['1:8: A mapping cannot begin on this line. A text with ": " in it must stand in quotes.'],
    ],
    [
      'a placeholder in braces',
      ['server: { host: ${HOST} }'],
      [
        '1:18: This cannot stand here. In { } and [ ], a text with one of { } [ ] , in it must stand in quotes, and so must a placeholder.',
      ],
    ],
    [
      'an escape that does not exist',
      ['vault: "\\q"'],
      ['1:9: This escape does not exist in a text in double quotes. Single quotes take a backslash as it is.'],
    ],
    [
      'an indentation of its own',
      ['server:', '  port: 1', ' host: a'],
      ['3:1: The indentation is not that of what it belongs to, or a bracket is not closed.'],
    ],
  ])('%s', async (_, lines, mistakes) => {
    expect(await mistakesIn(lines)).toEqual(mistakes.map((mistake) => `redrive.yaml:${mistake}`))
  })

  it('and all of them at once, in the order of the file', async () => {
    const found = await mistakesIn([
      'server: { port: 0, hots: a }',
      'connections:',
      '  shop: { transport: rabbitmq, url: "${RABBITMQ_URL}", heartbeat: soon }',
      'sources:',
      '  - { connection: bank, channel: dlq, mode: take }',
      'retention: { letters: 5 }',
      'vault: !x a',
    ])
    expect(found.map((line) => line.replace(/^redrive\.yaml:(\d+:\d+: \S+).*$/, '$1'))).toEqual([
      '1:17: server.port',
      '1:20: server.hots',
      '3:37: connections.shop.url',
      '5:19: sources[0].connection',
      '5:45: sources[0].mode',
      '6:23: retention.letters',
      '7:11: Tags,',
    ])
  })

  it('also for programs', async () => {
    await expect(read(['server: { port: 0 }'])).rejects.toMatchObject({
      code: 'bad-config',
      file: 'redrive.yaml',
      mistakes: [
        { line: 1, column: 17, path: 'server.port', problem: 'server.port is 0. Allowed: a whole number from 1 to 65535.' },
      ],
    })
  })

  it('with nothing that acts on a terminal', async () => {
    expect((await mistakesIn(['"\\e[2Jx": 1']))[0]).toContain('1:1: ["\\\\u001b[2Jx"] is not an option.')
    expect((await mistakesIn(['vault: ["\\e]0;pwn"]'])).join()).not.toMatch(/\p{Cc}/u)
  })

  it('of which at most fifty are shown', async () => {
    await expect(read(Array.from({ length: 60 }, (_, index) => `no${index}: 1`))).rejects.toMatchObject({
      message: expect.stringMatching(/no49[^\n]*\nredrive\.yaml: and 10 more\.$/),
      mistakes: { length: 60 },
    })
  })
})

describe('a secret is never shown', () => {
  const marker = 'hunter2hunter2'

  it.each<[string, readonly string[]]>([
    ['a url that is none', ['connections:', `  q: { transport: rabbitmq, url: "http://u:${marker}@h" }`]],
    ['a url that is a list', ['connections:', `  q: { transport: rabbitmq, url: ["${marker}"] }`]],
    [
      'a password that is a number',
      [
        'connections:',
        '  q:',
        '    transport: rabbitmq',
        '    url: amqp://h',
        '    management: { url: "http://h", user: u, password: 4455667788 }',
      ],
    ],
    [
      'a password that is too long',
      [
        'connections:',
        '  q:',
        '    transport: rabbitmq',
        '    url: amqp://h',
        `    management: { url: "http://h", user: u, password: "${marker.repeat(200)}" }`,
      ],
    ],
    [
      'a password of Kafka',
      [
        'connections:',
        '  q:',
        '    transport: kafka',
        '    bootstrapServers: h:1',
        `    sasl: { mechanism: PLAIN, username: u, password: "${marker}\\n" }`,
      ],
    ],
    [
      'a mechanism beside a password',
      ['connections:', '  q:', '    transport: kafka', '    bootstrapServers: h:1', `    sasl: { mechanism: ${marker} }`],
    ],
    [
      'a user beside a password',
      [
        'connections:',
        '  q:',
        '    transport: kafka',
        '    bootstrapServers: h:1',
        '    sasl: { mechanism: PLAIN, username: 4455667788 }',
      ],
    ],
    ['a key that stands where its mapping belongs', [`encryption: ${marker}`]],
    ['a url that stands where its connection belongs', ['connections:', `  q: amqp://u:${marker}@h`]],
    ['a url in place of all connections', [`connections: amqp://u:${marker}@h`]],
    ['a url that stands where its notifier belongs', ['notifiers:', `  ops: https://hooks.example/${marker}`]],
    ['a url that stands where its collector belongs', [`otlp: https://u:${marker}@h`]],
    ['a word from the environment', ['server: { host: a, behindProxy: "${SECRET}" }']],
    ['a transport from the environment', ['connections: { a: { transport: "${SECRET}" } }']],
    ['an option from the environment', ['connections: { a: { transport: embedded, file: a, durability: "${SECRET}" } }']],
    ['a filter from the environment', ['triage: [{ name: a, filter: "age>${SECRET}", discard: true }]']],
    ['a default', [`server: { port: "\${NOT_SET:-x}" }`]],
    ['a line that is no YAML', ['connections:', `  q: { url: amqp://u:${marker}@h, { } } ${marker}: "`]],
    ['a connection from the environment', ['sources: [{ connection: "${SECRET}", channel: a, mode: watch }]']],
  ])('%s', async (_, lines) => {
    const found = (await mistakesIn(lines, { SECRET: marker })).join('\n')
    expect(found).not.toContain(marker.slice(0, 6))
    expect(found).not.toContain('4455667788')
  })
})

it('planted bug: what a transport says about a password is caught by the same look', async () => {
  const options = { bootstrapServers: 'h:1', sasl: { mechanism: 'PLAIN', username: 4455667788, password: 'p' } }
  await expect(checkOptions('kafka', options)).rejects.toThrow('4455667788')
})

describe('a file that is made to hurt', () => {
  it('by aliases of aliases', async () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
    for (const [one, before] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf'].map((pair) => pair.split('')))
      bomb.push(`${one}: &${one} [${Array(10).fill(`*${before}`).join(', ')}]`)
    expect(await mistakesIn(bomb)).toEqual([
      expect.stringMatching(/^redrive\.yaml:\d+:\d+: The file uses more than 100 aliases\.$/),
    ])
  })

  it('by more values than anybody writes', async () => {
    const found = await mistakesIn(['mask:', '  headers:', ...Array.from({ length: 11_000 }, () => '  - a')])
    expect(found).toEqual(['redrive.yaml:10000:5: The file holds more than 10000 values.'])
  })

  it.each([
    ['brackets', '['.repeat(100_000)],
    ['dashes', '- '.repeat(50_000)],
    ['depth that the parser can bear', `a: ${'['.repeat(100)}${']'.repeat(100)}`],
  ])('by %s', async (_, text) => {
    expect((await mistakesIn([text])).join()).toMatch(/nested (too|more than 32) deep/)
  })

  it('pollutes nothing', async () => {
    await mistakesIn(['constructor: { prototype: { polluted: 1 } }'])
    await mistakesIn([...shop, 'server: { __proto__: { polluted: 1 } }'])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('reading it from a disk', () => {
  async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(tmpdir(), 'redrive-config-'))
    return work(folder).finally(() => rm(folder, { recursive: true }))
  }

  it('takes relative paths from where the file lies', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'redrive.yaml'), '\ufeffvault: a/b.db\n')
      expect((await readConfigFile(join(folder, 'redrive.yaml'), {})).vault).toBe(join(folder, 'a/b.db'))
    }))

  it('says so when there is none, when it is a folder, not text, or too large', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'large.yaml'), '#'.repeat(300_000))
      await writeFile(join(folder, 'binary.yaml'), new Uint8Array([0xff, 0xfe, 0x00]))
      await expect(readConfigFile(join(folder, 'none.yaml'), {})).rejects.toThrow('none.yaml:1:1: There is no such file.')
      await expect(readConfigFile(folder, {})).rejects.toThrow('There is no such file.')
      await expect(readConfigFile(join(folder, 'large.yaml'), {})).rejects.toThrow('The file is larger than 262144 bytes.')
      await expect(readConfigFile(join(folder, 'binary.yaml'), {})).rejects.toThrow('The file is not UTF-8.')
    }))
})

it('the example of the documentation is a configuration', async () => {
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/configuration-file.md', 'utf8')) ?? []
  const { connections, sources } = await read([example])
  expect([...connections.keys()]).toEqual(['shop', 'billing'])
  expect(sources).toHaveLength(2)
})
