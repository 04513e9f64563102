import { expect, test } from 'vitest'
import { resolveOptions } from './options.ts'

const rest = 'proxy:8081?nameServer=one:9876,two:9876'
const nobody = undefined

test.each([
  ['in the clear', `rocketmq://${rest}`, { credentials: nobody, tls: undefined }],
  ['over TLS', `rocketmqs://${rest}`, { credentials: nobody, tls: {} }],
  [
    'with credentials whose signs are encoded',
    `rocketmqs://wor%40ker:open%20ses%25ame@${rest}`,
    { credentials: { accessKey: 'wor@ker', secretKey: 'open ses%ame' }, tls: {} },
  ],
])('a url tells where proxy and name servers are, %s', (_, url, expected) => {
  expect(resolveOptions({ url })).toMatchObject({ proxy: 'proxy:8081', nameServers: ['one:9876', 'two:9876'], ...expected })
})

test('TLS options mean TLS, also where the url does not say so', () => {
  expect(resolveOptions({ url: `rocketmq://${rest}`, tls: { ca: 'a certificate' } }).tls).toEqual({ ca: 'a certificate' })
})

test.each([
  ['http://proxy:8081?nameServer=one:9876'],
  ['rocketmq://proxy?nameServer=one:9876'],
  ['rocketmq://proxy:8081'],
  [`rocketmq://hunter2@${rest}`],
  [`rocketmq://:hunter2@${rest}`],
  [`rocketmq://worker:hunter2%@${rest}`],
])('%s is refused, and not shown', (url) => {
  const refusal = expect.objectContaining({ code: 'bad-option', message: expect.not.stringContaining('hunter2') })
  expect(() => resolveOptions({ url })).toThrow(refusal)
})
