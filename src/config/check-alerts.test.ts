import { describe, expect, it } from 'vitest'
import { ConfigError } from './config-error.ts'
import { readConfig } from './read-config.ts'

const origin = { file: 'redrive.yaml', folder: '/etc/redrive', environment: {} }

async function mistakesIn(...lines: readonly string[]): Promise<readonly string[]> {
  const error = await readConfig(lines.join('\n'), origin).catch((thrown: unknown) => thrown)
  if (!(error instanceof ConfigError)) throw new Error('no mistake was found')
  return error.mistakes.map(({ line, column, problem }) => `${line}:${column}: ${problem}`)
}

describe('rules in a configuration', () => {
  it('change a default, add to them and switch them off', async () => {
    const { rules } = await readConfig(
      [
        'rules:',
        '  - { id: dlq.count, limit: 50, for: 5m, queue: dlq.*, runbook: "https://wiki.example/dlq" }',
        '  - { id: dlq.growth, enabled: false }',
        '  - { id: slow-orders, like: dlq.oldest.age, limit: 2h, severity: critical, labels: { team: orders } }',
        '  - { id: fail.ratio, limit: 2%, windows: [30m, 5m], minSamples: 10 }',
        '  - { id: watchdog }',
      ].join('\n'),
      origin,
    )
    const named = (id: string) => rules.find((rule) => rule.id === id)
    expect(named('dlq.count')).toMatchObject({
      condition: { limit: 50, clear: 40 },
      for: 300_000,
      scope: { queue: 'dlq.*' },
      runbook: 'https://wiki.example/dlq',
    })
    expect(named('dlq.growth')).toBeUndefined()
    expect(named('slow-orders')).toMatchObject({
      type: 'dlq.oldest.age',
      severity: 'critical',
      condition: { of: 'oldestAge', limit: 7_200_000 },
      labels: { team: 'orders' },
    })
    expect(named('fail.ratio')).toMatchObject({ condition: { limit: 0.02, windows: [1_800_000, 300_000], minSamples: 10 } })
    expect(named('watchdog')?.type).toBe('watchdog')
    expect(named('dlq.any')).toBeDefined()
  })

  it.each([
    [
      'a rule of nobody',
      '  - { id: mine }',
      /^2:5: rules\[0\]\.like is missing; name the rule that this one is like: dlq\.any, /,
    ],
    [
      'a limit that is no number',
      '  - { id: dlq.count, limit: many }',
      /^2:29: rules\[0\]\.limit is "many"\. Allowed: a number from 0\.$/,
    ],
    ['a share above one', '  - { id: fail.ratio, limit: 200% }', /limit is "200%"\. Allowed: a share such as 0\.05 or 5%\.$/],
    [
      'what the rule does not have',
      '  - { id: dlq.any, minSamples: 3 }',
      /minSamples is nothing that this rule has\. Remove it\.$/,
    ],
    [
      'a duration without a unit',
      '  - { id: dlq.any, for: 5 }',
      /^2:25: rules\[0\]\.for is 5\. Allowed: a duration from 0s to 7d/,
    ],
  ])('%s is told with its place', async (_, line, problem) => {
    expect((await mistakesIn('rules:', line)).join('\n')).toMatch(problem)
  })

  it('stand there once', async () => {
    expect(await mistakesIn('rules:', '  - { id: dlq.any }', '  - { id: dlq.any }')).toEqual([
      '3:11: rules[1].id is "dlq.any", which stands there twice. Remove one of them.',
    ])
  })
})

describe('maintenance windows in a configuration', () => {
  const window = (alerts: string, timeZone: string): string =>
    `  - { name: nightly, alerts: [${alerts}], days: [sat], from: "22:30", to: "01:00", timeZone: ${timeZone} }`

  it('are read', async () => {
    const { maintenance } = await readConfig(`maintenance:\n${window('source=shop', 'Europe/Berlin')}`, origin)
    expect(maintenance).toEqual([
      {
        name: 'nightly',
        matchers: [{ name: 'source', is: '=', value: 'shop' }],
        days: ['sat'],
        from: 22 * 60 + 30,
        to: 60,
        timeZone: 'Europe/Berlin',
      },
    ])
  })

  it('name a time zone that exists, and matchers that can be read', async () => {
    expect(await mistakesIn('maintenance:', window('everything', 'Europe/Atlantis'))).toEqual([
      expect.stringMatching(/"everything" is no matcher\. Write name=value/),
      expect.stringMatching(/timeZone is "Europe\/Atlantis", which is no time zone that is known here\.$/),
    ])
  })
})
