import { describe, expect, it } from 'vitest'
import { Job, testingWorld } from '../../test/testing-world.ts'
import { resolveChannel } from './channel-options.ts'
import { createConsumer } from './consumer.ts'
import { defineMessage } from './define-message.ts'

const withCode = (code: string, says: string): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(says) })

describe('options that are wrong are refused before anything runs', () => {
  it.each([
    [undefined, 'bad-topology', 'deadLetter is missing'],
    [{}, 'bad-topology', 'deadLetter is missing'],
    [{ deadletter: 'dead' }, 'unknown-option', 'deadLetter'],
    [{ deadLetter: 'work' }, 'bad-option', 'another channel'],
    [{ deadLetter: 'dead', invalid: 'work' }, 'bad-option', 'another channel'],
    [{ deadLetter: '' }, 'bad-option', 'deadLetter'],
    [{ deadLetter: 'dead', timeout: '5 parsecs' }, 'bad-option', 'timeout'],
    [{ deadLetter: 'dead', hold: -1 }, 'bad-option', 'hold'],
    [{ deadLetter: 'dead', concurrency: 0 }, 'bad-option', 'concurrency'],
    [{ deadLetter: 'dead', prefetch: 1.5 }, 'bad-option', 'prefetch'],
    [{ deadLetter: 'dead', maxHeld: 0 }, 'bad-option', 'maxHeld'],
    [{ deadLetter: 'dead', onDeadLetterFailure: 'ignore' }, 'bad-option', 'onDeadLetterFailure'],
    [{ deadLetter: 'dead', onStuck: 'wait' }, 'bad-option', 'onStuck'],
    [{ deadLetter: 'dead', dialect: 'klingon' }, 'bad-option', 'dialect'],
    [{ deadLetter: 'dead', order: 'strict' }, 'bad-option', 'order'],
    [{ deadLetter: 'dead', unknownType: 'keep' }, 'bad-option', 'unknownType'],
    [{ deadLetter: 'dead', resolveType: 'x' }, 'bad-option', 'resolveType'],
    [{ deadLetter: 'dead', headerBudget: '1 furlong' }, 'bad-option', 'headerBudget'],
    [{ deadLetter: 'dead', logBody: 'yes' }, 'bad-option', 'logBody'],
    [{ deadLetter: 'dead', retry: { immediat: 1 } }, 'unknown-option', 'immediate'],
    [{ deadLetter: 'dead', retry: { delayed: { retries: -1 } } }, 'bad-option', 'retry.delayed.retries'],
    [{ deadLetter: 'dead', classify: { codes: { EX: 'maybe' } } }, 'bad-option', 'classify'],
  ])('channel %o: %s', (options, code, says) => {
    expect(() =>
      testingWorld()
        .consumer()
        .channel('work', options as never),
    ).toThrow(withCode(code, says))
  })

  it.each([
    [{ service: '' }, 'bad-option', 'service'],
    [{ transport: {} }, 'bad-option', 'transport'],
    [{ logger: 'console' }, 'bad-option', 'logger'],
    [{ logger: console }, 'bad-option', 'fatal, child'],
    [{ drain: '2h' }, 'bad-option', 'drain'],
    [{ provision: 'force' }, 'bad-option', 'provision'],
    [{ servise: 'x' }, 'unknown-option', 'service'],
  ])('consumer %o: %s', (options, code, says) => {
    const { broker } = testingWorld()
    expect(() => createConsumer({ transport: broker, service: 'x', ...options } as never)).toThrow(withCode(code, says))
  })

  it('a handler that is none, a second one for a type, and a channel that is declared twice', () => {
    const consumer = testingWorld().consumer()
    const channel = consumer.channel('work', { deadLetter: 'dead' }).on(Job, () => {})
    expect(() => channel.on(defineMessage('x'), 'handler' as never)).toThrow(withCode('bad-option', 'no function'))
    expect(() => channel.on(Job, () => {})).toThrow(withCode('bad-option', 'already'))
    expect(() => channel.on(defineMessage('y'), () => {}, { timeout: 'x' } as never)).toThrow(withCode('bad-option', 'timeout'))
    expect(() => consumer.channel('work', { deadLetter: 'dead' })).toThrow(withCode('bad-option', 'declared already'))
  })

  it('a definition without a type, or with something that is no schema', () => {
    expect(() => defineMessage('')).toThrow(withCode('bad-option', 'type'))
    expect(() => defineMessage('x', { parse: () => 1 } as never)).toThrow(withCode('bad-option', 'Standard Schema'))
    expect(() => defineMessage('x', null as never)).toThrow(withCode('bad-option', 'Standard Schema'))
    const options = (given: unknown) => () => defineMessage('x', undefined, given as never)
    expect(options({ chanel: 'y' })).toThrow(
      withCode('unknown-option', 'defineMessage("x"): chanel is not an option. Did you mean'),
    )
    expect(options({ key: 'id' })).toThrow(withCode('bad-option', 'key is "id". Allowed: a function'))
    expect(options({ codec: JSON })).toThrow(withCode('bad-option', 'a codec'))
    expect(options({ channel: '' })).toThrow(withCode('bad-option', 'channel is ""'))
  })

  it('a delay that the broker cannot hold', async () => {
    const world = testingWorld()
    const { capabilities } = world.broker
    const transport = { ...world.broker, capabilities: { ...capabilities, retry: { ...capabilities.retry, maxDelay: 1000 } } }
    const starting = world.consume(() => {}, {}, { transport })
    await expect(starting).rejects.toEqual(withCode('bad-option', 'can delay by at most 1s'))
  })
})

describe('a dead-letter channel that only the broker writes to', () => {
  const customs = { deadLetter: 'work/$DeadLetterQueue', brokersOwn: (name: string) => name.endsWith('/$DeadLetterQueue') }

  it('is reached natively, without a word', () => {
    expect(resolveChannel('work', {}, customs)).toMatchObject({ deadLetter: 'work/$DeadLetterQueue', deadLettering: 'native' })
  })

  it('cannot be written to by us, and whoever asks for that is told', () => {
    expect(() => resolveChannel('work', { deadLettering: 'annotated' }, customs)).toThrow('only the broker itself writes to')
  })

  it('leaves other channels as they are', () => {
    expect(resolveChannel('work', { deadLetter: 'dead' }, customs)).toMatchObject({
      deadLetter: 'dead',
      deadLettering: 'annotated',
    })
  })
})
