import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { capabilitiesOf, checkOptions, openTransport, transportNames } from './registry.ts'

describe('registry', () => {
  it('knows every folder that holds a transport, and no other', () => {
    const folders = readdirSync('src/transports').filter((name) => existsSync(`src/transports/${name}/capabilities.ts`))
    expect([...transportNames].sort()).toEqual(folders.sort())
  })

  it('opens a transport by its name, with the capabilities that it tells beforehand', async () => {
    const transport = await openTransport('memory')
    expect(transport.name).toBe('memory')
    expect(transport.capabilities).toEqual(await capabilitiesOf('memory'))
    await transport.close()
  })

  it('refuses an unknown name and says which one was probably meant', async () => {
    await expect(openTransport('embeded')).rejects.toMatchObject({
      code: 'bad-option',
      message:
        'transport is "embeded". Did you mean "embedded"? Allowed: embedded, kafka, memory, postgres, rabbitmq, redis, rocketmq, servicebus, sqs.',
    })
  })

  it.each([
    ['embedded', { file: 'a.db' }, { file: '' }],
    ['kafka', { bootstrapServers: 'a:1' }, {}],
    ['memory', {}, { maxBody: 'large' }],
    ['postgres', { url: 'postgres://nowhere.invalid' }, { url: 'http://a' }],
    ['rabbitmq', { url: 'amqp://nowhere.invalid' }, { url: 'http://a' }],
    ['redis', { url: 'redis://nowhere.invalid' }, { url: 'http://a' }],
    ['rocketmq', { url: 'rocketmq://nowhere.invalid:1?nameServer=nowhere.invalid:2' }, { url: 'rocketmq://nowhere.invalid:1' }],
    ['sqs', { region: 'eu-central-1' }, { endpoint: 'sqs' }],
    ['servicebus', { connectionString: 'Endpoint=sb://a;SharedAccessKeyName=b;SharedAccessKey=c' }, { connectionString: 'a' }],
  ])('lets %s check all of its options without opening anything', async (name, right, wrong) => {
    await checkOptions(name, right)
    await expect(checkOptions(name, wrong)).rejects.toMatchObject({ code: 'bad-option' })
    await expect(checkOptions(name, { ...right, unheardOf: 1 })).rejects.toMatchObject({ code: 'unknown-option' })
    expect(existsSync('a.db')).toBe(false)
  })

  it('says which setting is missing', async () => {
    await expect(openTransport('embedded')).rejects.toMatchObject({
      code: 'bad-option',
      message: expect.stringContaining('file'),
    })
  })
})
