import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { workplace } from '../../test/cli/run-redrive.ts'
import { createConsumer } from '../runtime/consumer.ts'
import { defineMessage } from '../runtime/define-message.ts'
import { embedded } from '../transports/embedded/embedded.ts'

const here = workplace({ QUEUE_FILE: 'unused' })
afterAll(() => here.remove())

const channel = { name: 'orders', deadLetter: 'dlq.orders', invalid: 'invalid.orders', ttl: '5m' }
const database = join(here.folder, 'queue.db')
const good = { transport: 'embedded', connection: { file: database }, channels: [channel] }

/** What a topology file with this content is told to be wrong with. */
async function complaint(content: unknown, name = 'topology.json'): Promise<string> {
  here.write(name, content)
  const { status, out, err } = await here.redrive('topology', 'check', '--file', name)
  expect([status, out]).toEqual([2, ''])
  return err
}

describe('the command line', () => {
  test('explains itself with examples', async () => {
    const { status, out } = await here.redrive('topology', 'check', '--help')
    expect(status).toBe(0)
    expect(out).toContain('Examples:\n  redrive topology check')
  })

  test('tells its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(await here.redrive('--version')).toEqual({ status: 0, out: `${version}\n`, err: '' })
  })

  test.each([
    [['topolgy'], 'bad-option', 'Did you mean topology?'],
    [['topology', 'chek'], 'bad-option', 'Did you mean check?'],
    [['doctor', '--jsn'], 'unknown-option', 'Did you mean --json?'],
    [['doctor', 'extra'], 'bad-option', 'too many arguments'],
    [['show', 'abc'], 'bad-option', 'Allowed: a whole number.'],
  ])('helps after %j, with exit code 2 and the code of the mistake', async (args, code, hint) => {
    const { status, out, err } = await here.redrive(...args)
    expect([status, out]).toEqual([2, ''])
    expect(err.startsWith(`redrive: ${code}: `)).toBe(true)
    expect(err).toContain(hint)
    expect(await here.redrive(...args, '--json')).toMatchObject({ status: 2, err: '' })
  })

  test('a command that has others under it shows them when it is given none', async () => {
    const { status, err } = await here.redrive('topology')
    expect([status, err.startsWith('Usage: redrive topology'), err.includes('bad-option')]).toEqual([2, true, false])
  })

  test('gives errors as JSON where JSON was asked for, and nothing else', async () => {
    const { status, out } = await here.redrive('doctor', '--json', '--file', 'nowhere.json')
    expect(status).toBe(2)
    expect(JSON.parse(out)).toEqual({
      error: { code: 'bad-option', message: expect.stringContaining('nowhere.json: there is no') },
    })
    expect(out.split('\n')).toHaveLength(2)
  })
})

describe('a topology file', () => {
  test.each<[string, unknown, string]>([
    ['that is an array', [], 'topology is an array'],
    ['that is empty', '', 'it is not JSON from line 1, column 1 on'],
    ['with a key twice', '{"transport": "embedded", "transport": "rabbitmq"}', 'the key "transport" stands twice in one object'],
    ['with an unknown key', { ...good, chanels: [] }, 'topology: chanels is not an option. Did you mean "channels"?'],
    ['without a transport', { channels: [channel] }, 'topology: transport is missing'],
    ['with an unknown transport', { ...good, transport: 'rabbit' }, 'transport is "rabbit".'],
    ['with one that has no outside', { transport: 'memory', channels: [channel] }, 'lives in the process that uses it'],
    ['without channels', { ...good, channels: [] }, 'channels is empty'],
    ['with a nameless channel', { ...good, channels: [{ deadLetter: 'd' }] }, 'channels[0].name is undefined'],
    ['with a channel twice', { ...good, channels: [channel, channel] }, 'channel "orders" stands there twice'],
    ['without a dead-letter channel', { ...good, channels: [{ name: 'a' }] }, 'channel "a": deadLetter is missing'],
    ['with a bad time', { ...good, channels: [{ ...channel, ttl: 'soon' }] }, 'channel "orders": ttl is "soon"'],
    [
      'with a bad policy of a type',
      { ...good, channels: [{ ...channel, types: { 'order.placed': { retry: { delayed: { retrys: 1 } } } } }] },
      'types.order.placed: retry.delayed.retrys is not an option. Did you mean "retries"?',
    ],
    ['with options that its transport does not know', { ...good, connection: { fil: 'x' } }, 'embedded: fil is not an option'],
    ['that asks for what the transport cannot do', tooLong(), 'rabbitmq can delay by at most 7d'],
    ['with a variable that is not set', { ...good, connection: { file: '$' + '{NO}' } }, 'connection.file needs the environment'],
  ])('%s is refused, by its name and the place in it', async (_, content, expected) => {
    const told = await complaint(content)
    expect(told).toMatch(/^redrive: [a-z-]+: /)
    expect(told).toContain(expected)
  })

  function tooLong(): unknown {
    const retry = { delayed: { retries: 1, backoff: { max: '30d' } } }
    return { transport: 'rabbitmq', connection: { url: 'amqp://localhost' }, channels: [{ ...channel, retry }] }
  }

  test('names itself in what is wrong with it', async () => {
    expect(await complaint({ ...good, channels: [{ name: 'a' }] })).toContain('topology.json: channel "a"')
    expect(await complaint({ ...good, connection: {} })).toContain('topology.json: embedded: file is missing')
  })

  test('that is no JSON is told by the place, and not quoted: it may hold a password', async () => {
    const told = await complaint('{\n  "connection": { "url": "amqp://shop:hunter2@broker" oops }\n}')
    expect(told).toContain('it is not JSON from line 2, column 55 on')
    expect(told).not.toContain('hunter2')
  })

  test('of another kind is refused', async () => {
    expect(await complaint('a: 1', 'topology.yaml')).toContain('Allowed: .json, .js, .mjs, .ts, .mts.')
  })

  test('may be a module that shares its channels with the consumer', async () => {
    here.write('topology.mjs', `export default ${JSON.stringify({ ...good, connection: { file: `${database}.module` } })}`)
    expect(await here.told('topology', 'apply', '--file', 'topology.mjs')).toContain('created channel-created')
    expect(await complaint('export default [', 'broken.mjs')).toContain('it cannot be imported')
  })

  test('is looked for under its usual name', async () => {
    here.write('redrive.topology.json', { ...good, connection: { file: `${database}.usual` } })
    expect(await here.told('topology', 'check')).toContain('missing channel-missing')
  })

  test('cannot pollute what all objects share', async () => {
    await complaint('{"__proto__": {"transport": "embedded"}, "channels": []}')
    await complaint(`{"transport": "embedded", "channels": [{"name": "a", "deadLetter": "b", "__proto__": {"ttl": "1s"}}]}`)
    expect(({} as { ttl?: string }).ttl).toBeUndefined()
  })
})

describe('on the embedded queue', () => {
  test('a check tells what is missing and makes no file; apply makes it; then all is clean', async () => {
    here.write('topology.json', good)
    const missing = await here.redrive('topology', 'check', '--file', 'topology.json')
    expect(missing).toMatchObject({ status: 1, err: '' })
    expect(missing.out.split('\n').filter((line) => line.startsWith('missing '))).toHaveLength(3)
    expect(existsSync(database)).toBe(false)

    expect(await here.redrive('topology', 'apply', '--file', 'topology.json')).toMatchObject({
      status: 0,
      out: expect.stringContaining('created  channel-created: orders was created.\n'),
    })
    expect(await here.redrive('topology', 'check', '--file', 'topology.json')).toEqual({
      status: 0,
      out: 'nothing is wrong\n',
      err: '',
    })
  })

  test('what apply made is what a consumer with the same options checks for, and the other way round', async () => {
    const { name, ...options } = channel
    const retry = { delayed: { retries: 4, backoff: { first: '1m', max: '1h' } } }
    const Order = defineMessage('order', undefined, { key: () => 'customer' })
    async function start(file: string, provision: 'check' | 'apply'): Promise<void> {
      const transport = embedded({ file })
      const consumer = createConsumer({ transport, service: 'shop', logger: false, provision })
      consumer.channel(name, options).on(Order, async () => {}, { retry })
      await consumer.start().finally(() => consumer.stop().then(() => transport.close()))
    }
    const types = { order: { keyed: true, retry } }
    const write = (file: string) => here.write('same.json', { ...good, connection: { file }, channels: [{ ...channel, types }] })

    write(`${database}.ours`)
    await here.told('topology', 'apply', '--file', 'same.json')
    await start(`${database}.ours`, 'check')

    write(`${database}.theirs`)
    await start(`${database}.theirs`, 'apply')
    expect(await here.told('topology', 'check', '--file', 'same.json')).toEqual([])
  })

  test('a difference that only a person may resolve remains, with exit code 1', async () => {
    here.write('topology.json', { ...good, channels: [{ ...channel, ttl: '6m' }] })
    const { status, out } = await here.redrive('topology', 'apply', '--file', 'topology.json')
    expect([status, out]).toEqual([1, expect.stringContaining('warning  ttl-differs: ')])
  })

  test('there is nothing to export', async () => {
    here.write('topology.json', good)
    const { status, err } = await here.redrive('topology', 'export', '--file', 'topology.json')
    expect([status, err]).toEqual([2, expect.stringContaining('Allowed for transport "embedded": none.')])
  })

  test('the doctor says what it looked at', async () => {
    here.write('topology.json', good)
    const told = await here.told('doctor', '--file', 'topology.json')
    expect(told).toEqual(expect.arrayContaining(['fine schema', 'fine durability']))
    expect(readdirSync(here.folder).filter((name) => name.endsWith('.new'))).toEqual([])
  })

  test('names that act on a terminal are written out', async () => {
    const name = 'or\u001b[2Jders\u202e'
    here.write('topology.json', { ...good, connection: { file: `${database}.odd` }, channels: [{ ...channel, name }] })
    const { out } = await here.redrive('topology', 'check', '--file', 'topology.json')
    expect(out).toContain('or\\u001b[2Jders\\u202e does not exist')
    expect(out).not.toContain('\u001b')
  })
})
