import { headOf } from '../../error-head.ts'
import { type DialectReader, failureOf } from '../reading.ts'

/** Properties of an exchange, which reach a message only where a route maps them to headers. */
export const camel: DialectReader = {
  name: 'camel',
  producer: 'Apache Camel',
  confidence: 'certain',
  signs: ['CamelExceptionCaught', 'CamelFailureEndpoint', 'CamelFailureRouteId'],
  headers: ['CamelExceptionCaught', 'CamelFailure*', 'CamelRedelivery*'],
  read(letter) {
    const caught = letter.text('CamelExceptionCaught')
    const [line = ''] = caught?.split('\n', 1) ?? []
    const { type, message } = headOf(line)
    const redeliveries = letter.count('CamelRedeliveryCounter')
    return failureOf({
      source: { channel: letter.text('CamelFailureEndpoint') },
      handler: letter.text('CamelFailureRouteId'),
      errorType: type,
      errorMessage: type === undefined ? caught : message || undefined,
      stack: line === caught ? undefined : caught,
      attempts: redeliveries === undefined ? undefined : redeliveries + 1,
    })
  },
}
