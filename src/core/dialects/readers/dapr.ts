import { type DialectReader, failureOf } from '../reading.ts'

/** A CloudEvent keeps the topic it was published to; on a dead-letter topic that is another one. */
export const dapr: DialectReader = {
  name: 'dapr',
  producer: 'Dapr',
  confidence: 'likely',
  signs: [],
  sign: 'a CloudEvent with `pubsubname` and a `topic` other than the one it lies in',
  headers: [],
  read(letter) {
    const event = letter.json()
    const topic = event?.text('topic')
    const isForwarded = event?.has('specversion') && event.has('pubsubname') && topic !== undefined && topic !== letter.channel
    return isForwarded
      ? failureOf({ source: { channel: topic, position: event?.text('id') }, firstSeenAt: event?.time('time') })
      : undefined
  },
}
