// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the placeholders of a configuration file
import { describe, expect, it } from 'vitest'
import { ConfigError } from './config-error.ts'
import { readConfig } from './read-config.ts'

const origin = { file: 'redrive.yaml', folder: '/etc/redrive', environment: { SMTP_PASSWORD: 'hunter2', SMTP_PORT: '2525' } }

async function mistakesIn(...lines: readonly string[]): Promise<readonly string[]> {
  const error = await readConfig(['notifiers:', ...lines].join('\n'), origin).catch((thrown: unknown) => thrown)
  if (!(error instanceof ConfigError)) throw new Error('no mistake was found')
  return error.mistakes.map(({ line, column, problem }) => `${line}:${column}: ${problem}`)
}

describe('notifiers in a configuration', () => {
  it('are read, with secrets from the environment', async () => {
    const { notifiers } = await readConfig(
      [
        'notifiers:',
        '  ops-mail:',
        '    type: mail',
        '    host: smtp.example.com',
        '    port: ${SMTP_PORT}',
        '    user: alerts',
        '    password: ${SMTP_PASSWORD}',
        '    from: redrive@example.com',
        '    to: [ops@example.com]',
        '    severity: warning',
        '  pager: { type: pagerduty, routingKey: abc, severity: critical, sources: [shop*], owners: [payments] }',
      ].join('\n'),
      origin,
    )
    expect([...notifiers.keys()]).toEqual(['ops-mail', 'pager'])
    expect(notifiers.get('ops-mail')).toMatchObject({ type: 'mail', options: { password: 'hunter2', port: '2525' } })
  })

  it.each([
    [
      'a type that is none',
      '  a: { type: pigeon }',
      /^2:14: notifiers\.a\.type is "pigeon"\. Allowed: mail, webhook, slack, teams, pagerduty, alertmanager\.$/,
    ],
    ['an option that is missing', '  a: { type: mail, host: h, from: a@example.com }', /^2:6: notifiers\.a\.to is missing/],
    ['an option that is none', '  a: { type: slack, link: x }', /^2:21: notifiers\.a\.link is not an option\./],
    [
      'an address inside',
      '  a: { type: webhook, url: "http://10.0.0.1/hunter2" }',
      /notifiers\.a\.url needs an address on the internet\. If this one is meant, name it in webhook: allowAddresses\.$/,
    ],
    [
      'a field that no template has',
      '  a: { type: slack, url: "https://hooks.slack.com/x", text: "{{body}}" }',
      /text is a template with \{\{body\}\}, which is no field\./,
    ],
    [
      'a severity that is none',
      '  a: { type: slack, url: "https://hooks.slack.com/x", severity: fatal }',
      /severity is "fatal"\. Allowed: "info", "warning", "critical"/,
    ],
  ])('%s is told with its place', async (_, line, problem) => {
    const told = await mistakesIn(line)
    expect(told.join('\n')).toMatch(problem)
    expect(told.join('\n')).not.toContain('hunter2')
  })
})
