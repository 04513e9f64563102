import { headOf } from '../../error-head.ts'
import { asCount } from '../read-number.ts'
import { type DialectReader, failureOf } from '../reading.ts'

const topic = ['CamelKafkaTopic', 'kafka.TOPIC'] as const
const partition = ['CamelKafkaPartition', 'kafka.PARTITION'] as const
const offset = ['CamelKafkaOffset', 'kafka.OFFSET'] as const

/**
 * Properties of an exchange, which reach a message only where a route maps them to headers. The endpoint of the failure is the one that the
 * route called last, and no origin: where a message was consumed only some components tell, Kafka's in numbers of bytes.
 */
export const camel: DialectReader = {
  name: 'camel',
  producer: 'Apache Camel',
  confidence: 'certain',
  signs: ['CamelExceptionCaught', 'CamelFailureEndpoint', 'CamelFailureRouteId'],
  headers: ['CamelExceptionCaught', 'CamelFailure*', 'CamelRedeliver*', ...topic, ...partition, ...offset],
  read(letter) {
    const caught = letter.text('CamelExceptionCaught')
    const [line = ''] = caught?.split('\n', 1) ?? []
    const { type, message } = headOf(line)
    const redeliveries = asCount(letter.binaryNumber('CamelRedeliveryCounter'))
    return failureOf({
      source: {
        channel: letter.text(...topic),
        partition: asCount(letter.binaryNumber(...partition)),
        offset: letter.binaryNumber(...offset),
      },
      handler: letter.text('CamelFailureRouteId'),
      errorType: type,
      errorMessage: type === undefined ? caught : message || undefined,
      stack: line === caught ? undefined : caught,
      attempts: redeliveries === undefined ? undefined : redeliveries + 1,
    })
  },
}
