import { describe, expect, it } from 'vitest'
import { decoded, Job, jobMessage, testingWorld } from '../../test/testing-world.ts'
import { PermanentError } from '../core/tagged-errors.ts'
import { memory } from '../transports/memory/memory.ts'
import { createConsumer } from './consumer.ts'

async function letterOf(padding: number): Promise<readonly string[]> {
  const world = testingWorld()
  const transport = memory({ clock: world.clock, maxBody: 1000 })
  const consumer = createConsumer({ transport, service: 'tests', logger: false, platform: world.platform })
  consumer.channel('work', { deadLetter: 'dead', dialect: 'onex' }).on(Job, () => {
    throw new PermanentError('never')
  })
  await consumer.start()
  await transport.send({ name: 'work' }, jobMessage('x'.repeat(padding)))
  await world.clock.advance(1000)
  const { messages } = await transport.browse({ name: 'dead' }, { limit: 10 })
  return messages.map(({ message }) => (typeof decoded(message) === 'string' ? 'as it was' : 'in an envelope'))
}

describe('a letter in a dialect that wraps the body', () => {
  it('is wrapped where the broker takes it', async () => {
    expect(await letterOf(10)).toEqual(['in an envelope'])
  })

  it('is written around the untouched body where the envelope would be too large for the broker', async () => {
    expect(await letterOf(900)).toEqual(['as it was'])
  })
})
