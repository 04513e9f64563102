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
    const group = isDeadLetterTopic ? letter.channel.slice(deadLetterTopic.length) : ''
    const topics = ['DLQ_ORIGIN_TOPIC', 'RETRY_TOPIC', 'REAL_TOPIC'].map((name) => ofRetryTopic(letter.text(name), group))
    const retries = letter.count('RECONSUME_TIME', 'RECONSUME_TIMES')
    return failureOf({
      source: {
        channel: topics.find((topic) => topic !== undefined && !topic.startsWith('%')),
        position: letter.text('DLQ_ORIGIN_MESSAGE_ID', 'ORIGIN_MESSAGE_ID'),
      },
      group: group || undefined,
      attempts: retries === undefined ? undefined : retries + 1,
    })
  },
}

/** What was popped is retried in a topic that is called by its group and by where it came from. */
function ofRetryTopic(topic: string | undefined, group: string): string | undefined {
  const prefix = `%RETRY%${group}`
  if (group === '' || !topic?.startsWith(prefix)) return topic
  return /^[_+](.+)/.exec(topic.slice(prefix.length))?.[1] ?? topic
}
