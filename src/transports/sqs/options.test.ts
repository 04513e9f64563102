import { expect, it } from 'vitest'
import { resolveOptions, type SqsOptions } from './options.ts'

it('fills what nobody gave, and leaves region and credentials to the SDK', () => {
  const settings = resolveOptions({})
  expect(settings).toMatchObject({ queues: 'standard', pollFor: 5_000, answerWithin: 10_000, maxMessage: 256 * 1024 })
  expect([settings.region, settings.credentials]).toEqual([undefined, undefined])
})

it('needs no credentials for a server on this machine, and never makes some up for another', () => {
  expect(resolveOptions({ endpoint: 'http://127.0.0.1:9324' })).toMatchObject({ region: 'us-east-1', credentials: {} })
  expect(resolveOptions({ endpoint: 'https://sqs.invalid' }).credentials).toBeUndefined()
})

it.each<[SqsOptions, string]>([
  [{ queues: 'lifo' as 'fifo' }, 'queues is "lifo"'],
  [{ prefix: 'staging.' }, 'prefix is "staging."'],
  [{ pollFor: '30s' }, 'pollFor is'],
  [{ maxMessage: '2MiB' }, 'maxMessage is'],
  [{ endpoint: '127.0.0.1:9324' }, 'endpoint is not'],
])('refuses %j', (wrong, message) => {
  expect(() => resolveOptions(wrong)).toThrow(message)
})

it('never shows a secret', () => {
  const endpoint = 'http://user:hunter2@a'
  const credentials = { accessKeyId: 'a', secretAccessKey: 'hunter2', more: 1 }
  for (const wrong of [{ endpoint }, { credentials }] as SqsOptions[])
    expect(() => resolveOptions(wrong)).toThrow(expect.not.stringContaining('hunter2'))
})
