import { describe, expect, it } from 'vitest'
import { type KafkaOptions, kafka } from './kafka.ts'
import { resolveOptions } from './options.ts'

describe('the options of Kafka', () => {
  it("take seed 003's names as well as ours", () => {
    const settings = resolveOptions({ bootstrap_servers: 'kafka:9092', group_id: 'billing', dead_letter_topic: 'billing.dead' })
    expect(settings).toMatchObject({
      bootstrap: [{ host: 'kafka', port: 9092 }],
      groupId: 'billing',
      deadLetterTopic: 'billing.dead',
    })
  })

  it('take several brokers, as a list or as text', () => {
    const brokers = [
      { host: 'one', port: 9092 },
      { host: '::1', port: 9093 },
    ]
    expect(resolveOptions({ bootstrapServers: 'one:9092, [::1]:9093' }).bootstrap).toEqual(brokers)
    expect(resolveOptions({ bootstrapServers: ['one:9092', '[::1]:9093'] }).bootstrap).toEqual(brokers)
  })

  it.each<[string, KafkaOptions, string]>([
    ['no broker', {}, 'bootstrapServers is missing'],
    ['a broker without a port', { bootstrapServers: 'kafka' }, 'host:port'],
    ['a port that is none', { bootstrapServers: 'kafka:99999' }, 'host:port'],
    ['both names of one option', { bootstrapServers: 'a:1', bootstrap_servers: 'a:1' }, 'not both'],
    ['a group that cannot be part of a topic', { bootstrapServers: 'a:1', groupId: 'no/group' }, 'letters, digits'],
    ['a heartbeat as long as the session', { bootstrapServers: 'a:1', heartbeat: '10s', sessionTimeout: '10s' }, 'at most half'],
    [
      'SASL without a password',
      { bootstrapServers: 'a:1', sasl: { mechanism: 'PLAIN', username: 'u' } },
      'sasl.password is missing',
    ],
    ['OAUTHBEARER without a token', { bootstrapServers: 'a:1', sasl: { mechanism: 'OAUTHBEARER' } }, 'sasl.token is missing'],
  ])('refuse %s', (_, options, message) => {
    expect(() => kafka(options)).toThrow(message)
  })

  it('never show a password', () => {
    const sasl = { mechanism: 'PLAIN', username: 'u', password: 'hunter2\n' } as const
    expect(() => kafka({ bootstrapServers: 'a:1', sasl })).toThrow(/^(?!.*hunter2)/)
  })

  it.each([
    ['the group of the channel', { bootstrapServers: 'a:1', groupId: 'general' }, 'own', 'own.dlq'],
    ['the general group', { bootstrapServers: 'a:1', groupId: 'general' }, undefined, 'general.dlq'],
    ['what the options say', { bootstrapServers: 'a:1', deadLetterTopic: 'dead' }, 'own', 'dead'],
    ['nobody, where there is no group', { bootstrapServers: 'a:1' }, undefined, undefined],
  ])('name the dead-letter topic after %s', (_, options, group, name) => {
    expect(kafka(options).deadLetterFor?.(group, 'orders')).toBe(name)
  })

  it('a broker that is not there is unreachable, and a group is asked for by name', async () => {
    const transport = kafka({ bootstrapServers: '127.0.0.1:1', answerWithin: '500ms' })
    await expect(transport.measure({ name: 'x' })).rejects.toMatchObject({ code: 'unreachable' })
    await expect(transport.receive({ name: 'x' }, { prefetch: 1, hold: 1000 })).rejects.toMatchObject({
      code: 'bad-option',
      message: expect.stringContaining('groupId'),
    })
    await transport.close()
  })
})
