import { expect, test } from 'vitest'
import { signedQuestion, signedTime } from './signature.ts'

const worker = { accessKey: 'worker', secretKey: 'open sesame' }

test('the time of a call is signed for the proxy, to the second', () => {
  expect([...signedTime(worker, Date.UTC(2026, 10, 17, 21, 22, 40, 123))]).toEqual([
    ['x-mq-date-time', '20261117T212240Z'],
    [
      'authorization',
      'MQv2-HMAC-SHA1 Credential=worker, SignedHeaders=x-mq-date-time, Signature=405D76FFCD0E6E6D4D42ABED48D4756E6567173E',
    ],
  ])
})

test('a question to a broker is signed with the values of its fields, in the order of their names, and its body', () => {
  const question = { code: 14, fields: { topic: 'work', consumerGroup: 'redrive' }, body: Buffer.from('{"a":1}') }
  expect(signedQuestion(question, worker)).toEqual({
    ...question,
    fields: { ...question.fields, AccessKey: 'worker', Signature: 'DU3ENCbfTvZ3HB0sEe5RA2yHE6Q=' },
  })
})
