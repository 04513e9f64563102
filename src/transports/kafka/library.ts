import { RedriveError } from '../../core/errors.ts'

/** What we use of the client library: its connections and its encoding of requests, none of its clients. */
export type Kafka = typeof import('@platformatic/kafka')

let loading: Promise<Kafka> | undefined

/** Loaded on first use, so that nobody needs it who does not use Kafka. */
export function loadKafka(): Promise<Kafka> {
  loading ??= import('@platformatic/kafka').catch((cause) => {
    loading = undefined
    const advice = 'Kafka needs the package @platformatic/kafka. Install it with: npm install @platformatic/kafka@2.12.1'
    throw new RedriveError('missing-library', advice, { cause })
  })
  return loading
}
