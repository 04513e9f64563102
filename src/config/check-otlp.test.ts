// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the placeholders of a configuration file
import { describe, expect, it } from 'vitest'
import { ConfigError } from './config-error.ts'
import { readConfig } from './read-config.ts'

const origin = { file: 'redrive.yaml', folder: '/etc/redrive', environment: { OTLP_TOKEN: 'hunter2', BROKEN: 'hunter2\nx: y' } }

async function mistakesIn(line: string): Promise<string> {
  const error = await readConfig(`otlp: ${line}`, origin).catch((thrown: unknown) => thrown)
  if (!(error instanceof ConfigError)) throw new Error('no mistake was found')
  return error.mistakes.map(({ line: at, column, problem }) => `${at}:${column}: ${problem}`).join('\n')
}

describe('a collector in a configuration', () => {
  it('is read, with its token from the environment', async () => {
    const { otlp } = await readConfig(
      [
        'otlp:',
        '  url: https://collector.example:4318',
        '  every: 15s',
        '  timeout: 3s',
        '  headers: { authorization: "Bearer ${OTLP_TOKEN}" }',
        '  resource: { deployment.environment.name: production }',
      ].join('\n'),
      origin,
    )
    expect(otlp).toMatchObject({
      ...{ every: 15_000, timeout: 3000, headers: { authorization: 'Bearer hunter2' } },
      resource: { 'deployment.environment.name': 'production' },
    })
    expect(otlp?.url.href).toBe('https://collector.example:4318/v1/metrics')
  })

  it('may be told elsewhere, and nobody is told where it is not named', async () => {
    const { otlp } = await readConfig('otlp: { url: "https://collector.example/otlp/metrics" }', origin)
    expect([otlp?.url.pathname, otlp?.every, otlp?.timeout]).toEqual(['/otlp/metrics', 30_000, 10_000])
    expect((await readConfig('vault: v.db', origin)).otlp).toBeUndefined()
  })

  it.each([
    ['no address', '{ every: 10s }', /^1:7: otlp\.url is missing/],
    [
      'an address inside',
      '{ url: "http://10.0.0.1/hunter2" }',
      /otlp\.url needs an address on the internet\. If this one is meant, name it in otlp: allowAddresses\.$/,
    ],
    ['the metadata of a cloud', '{ url: "http://169.254.169.254/hunter2" }', /otlp\.url needs an address on the internet/],
    [
      'a port of something else',
      '{ url: "https://c.example:25/hunter2" }',
      /otlp\.url needs a port .* not 25\. Allowed: 80, 443, 4318,/,
    ],
    ['no web address', '{ url: "file:///hunter2" }', /otlp\.url is not one that starts with https:/],
    ['a header that is none', '{ url: "https://c.example", headers: { "a b": hunter2 } }', /headers is no name of a header/],
    ['a header that is ours', '{ url: "https://c.example", headers: { Host: hunter2 } }', /headers is not the place for Host/],
    [
      'a value that would be two headers',
      '{ url: "https://c.example", headers: { a: "${BROKEN}" } }',
      /headers\.a is not text of 1 to 4096 characters without line breaks/,
    ],
    [
      'a value that is none',
      '{ url: "https://c.example", headers: { a: [hunter2] } }',
      /headers\.a is something else, which is not/,
    ],
    ['an interval of no time', '{ url: "https://c.example", every: 1ms }', /every is "1ms"\. Allowed: a duration from 1s to 1h/],
    ['an option that is none', '{ url: "https://c.example", evry: 1s }', /otlp\.evry is not an option\. Did you mean every\?/],
  ])('%s is told with its place, and nothing of a secret', async (_, line, problem) => {
    const told = await mistakesIn(line)
    expect(told).toMatch(problem)
    expect(told).not.toContain('hunter2')
  })
})
