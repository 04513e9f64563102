import { pino } from 'pino'
import { expect, it } from 'vitest'
import { Job, testingWorld } from '../../test/testing-world.ts'
import { createConsumer } from './consumer.ts'

it('takes pino as it is, for its own lines and for the handler’s', async () => {
  const world = testingWorld()
  const lines: unknown[] = []
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  await world.consume((_, ctx) => ctx.logger.info({ step: 1 }, 'half way'), {}, { logger })
  await world.put(1, { id: 'm-1', correlationId: 'c-1' })
  const ofHandler = { level: 30, msg: 'half way', step: 1, channel: 'work', messageId: 'm-1', correlationId: 'c-1' }
  expect(lines).toContainEqual(expect.objectContaining(ofHandler))
  expect(lines).toContainEqual(expect.objectContaining({ level: 30, msg: 'Consumer started' }))
})

it('writes lines of pino’s shape where no logger is given', async () => {
  const { broker, platform, clock } = testingWorld()
  const lines: unknown[] = []
  const writeLog = (line: string): void => void lines.push(JSON.parse(line))
  const consumer = createConsumer({ transport: broker, service: 'billing', platform: { ...platform, writeLog } })
  consumer.channel('work', { deadLetter: 'dead' }).on(Job, () => {})
  await consumer.start()
  expect(lines).toContainEqual({ level: 30, time: clock.now(), service: 'billing', channels: ['work'], msg: 'Consumer started' })
})
