import { expect, test } from 'vitest'
import { resolveOptions } from './options.ts'

test('a url gives host, port, user, password and virtual host', () => {
  const { hosts, vhost } = resolveOptions({ url: 'amqps://shop:s%40cret@broker.example/eu%2Forders' })
  expect(vhost).toBe('eu/orders')
  expect(hosts).toMatchObject([
    {
      name: 'broker.example:5671',
      protocol: 'amqps',
      hostname: 'broker.example',
      port: 5671,
      username: 'shop',
      password: 's@cret',
    },
  ])
})

test('several hosts share one virtual host and heartbeat', () => {
  const { hosts, vhost } = resolveOptions({ urls: ['amqp://one', 'amqp://two:5673'], vhost: 'orders', heartbeat: '5s' })
  expect(vhost).toBe('orders')
  expect(hosts.map(({ name, heartbeat }) => [name, heartbeat])).toEqual([
    ['one:5672', 5],
    ['two:5673', 5],
  ])
})

test('a url that is none is refused without showing what may hold a password', () => {
  const refused = (): unknown => resolveOptions({ url: 'http://shop:secret@broker' })
  expect(refused).toThrow(expect.objectContaining({ code: 'bad-option' }))
  expect(refused).not.toThrow(/secret/)
})

test('a password of the management API that is none is refused without showing it', () => {
  const management = { url: 'http://broker:15672', user: 'shop', password: 'sec\nret' }
  const refused = (): unknown => resolveOptions({ url: 'amqp://broker', management })
  expect(refused).toThrow(expect.objectContaining({ code: 'bad-option' }))
  expect(refused).toThrow(/management\.password/)
  expect(refused).not.toThrow(/sec.?ret/s)
})

test.each([
  ['no url at all', {}, 'bad-option'],
  ['both url and urls', { url: 'amqp://a', urls: ['amqp://b'] }, 'bad-option'],
  ['a queue type that does not exist', { url: 'amqp://a', queueType: 'stream' }, 'bad-option'],
  ['an option that does not exist', { url: 'amqp://a', queuetype: 'quorum' }, 'unknown-option'],
])('%s is refused', (_, options, code) => {
  expect(() => resolveOptions(options as never)).toThrow(expect.objectContaining({ code }))
})
