import { expect, test } from 'vitest'
import { defineMessage } from '../runtime/define-message.ts'
import { createTestBench } from './testing.ts'

const Job = defineMessage<number>('job')

test('what did not happen is told, with what did', async () => {
  const bench = createTestBench()
  const consumer = bench.consumer()
  consumer.channel('job', { deadLetter: 'dead' }).on(Job, () => {})
  await consumer.start()
  await bench.producer.send(Job, 1)
  await expect(bench.waitFor('dead-lettered', { within: '1m' })).rejects.toMatchObject({
    code: 'not-seen',
    message: 'dead-lettered did not happen within 1m. What did: started, received, completed.',
  })
})

test('each event is given once, and a condition picks among them', async () => {
  const bench = createTestBench()
  const consumer = bench.consumer()
  consumer.channel('job', { deadLetter: 'dead' }).on(Job, () => {})
  await consumer.start()
  for (const id of ['a', 'b', 'c']) await bench.producer.send(Job, 1, { id })
  const second = await bench.waitFor('completed', { where: ({ messageId }) => messageId === 'b' })
  const rest = [await bench.waitFor('completed'), await bench.waitFor('completed')]
  expect([second, ...rest].map(({ messageId }) => messageId)).toEqual(['b', 'a', 'c'])
})

test('a bench on which nothing happened says so', async () => {
  await expect(createTestBench().waitFor('started')).rejects.toThrow('What did: nothing.')
})
