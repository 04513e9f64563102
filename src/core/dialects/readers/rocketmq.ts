import { type DialectReader, failureOf } from '../reading.ts'

const deadLetterTopic = '%DLQ%'

/** Retry topics are the broker's own, and their names start with a sign that no user may write. */
export const rocketmq: DialectReader = {
  name: 'rocketmq',
  producer: 'RocketMQ itself',
  confidence: 'certain',
  signs: [],
  sign: '`DLQ_ORIGIN_TOPIC`, `RETRY_TOPIC`, or a channel called `%DLQ%…`',
  headers: [
    'DLQ_ORIGIN_TOPIC',
    'DLQ_ORIGIN_MESSAGE_ID',
    'RETRY_TOPIC',
    'ORIGIN_MESSAGE_ID',
    'REAL_TOPIC',
    'RECONSUME_TIME*',
    'MAX_RECONSUME_TIMES',
  ],
  read(letter) {
    const isDeadLetterTopic = letter.channel.startsWith(deadLetterTopic)
    if (!isDeadLetterTopic && !letter.has('DLQ_ORIGIN_TOPIC') && !letter.has('RETRY_TOPIC')) return undefined
    const topics = ['DLQ_ORIGIN_TOPIC', 'RETRY_TOPIC', 'REAL_TOPIC'].map((name) => letter.text(name))
    const retries = letter.count('RECONSUME_TIME', 'RECONSUME_TIMES')
    return failureOf({
      source: {
        channel: topics.find((topic) => topic !== undefined && !topic.startsWith('%')),
        position: letter.text('DLQ_ORIGIN_MESSAGE_ID', 'ORIGIN_MESSAGE_ID'),
      },
      group: isDeadLetterTopic ? letter.channel.slice(deadLetterTopic.length) || undefined : undefined,
      attempts: retries === undefined ? undefined : retries + 1,
    })
  },
}
