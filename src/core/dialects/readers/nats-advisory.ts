import { type DialectReader, failureOf } from '../reading.ts'

const prefix = 'io.nats.jetstream.advisory.v1.'
const reasons: Readonly<Record<string, string>> = { max_deliver: 'MaxDeliveries', terminated: 'Terminated', nak: 'Naked' }

/** The message itself stays in its stream; the letter is the broker's notice that it gave up on it. */
export const natsAdvisory: DialectReader = {
  name: 'nats-advisory',
  producer: 'NATS JetStream itself',
  confidence: 'certain',
  signs: [],
  sign: 'a JSON body whose `type` is `io.nats.jetstream.advisory.v1.max_deliver`, `.terminated` or `.nak`',
  headers: [],
  envelope: () => ['*'],
  read(letter) {
    const advisory = letter.json()
    const type = advisory?.text('type') ?? ''
    const reason = type.startsWith(prefix) ? reasons[type.slice(prefix.length)] : undefined
    if (advisory === undefined || reason === undefined) return undefined
    return failureOf({
      source: { channel: advisory.text('stream'), offset: advisory.number('stream_seq') },
      group: advisory.text('consumer'),
      reason,
      errorMessage: advisory.text('reason'),
      deliveries: advisory.count('deliveries'),
      failedAt: advisory.time('timestamp'),
    })
  },
}
