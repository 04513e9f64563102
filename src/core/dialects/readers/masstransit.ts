import { queueOfAddress } from '../queue-of-address.ts'
import { type DialectReader, failureOf } from '../reading.ts'

export const masstransit: DialectReader = {
  name: 'masstransit',
  producer: 'MassTransit',
  confidence: 'certain',
  signs: ['MT-Reason', 'MT-Fault-ExceptionType', 'MT-Fault-Message'],
  headers: ['MT-Reason', 'MT-Fault-*', 'MT-Host-*', 'MT-Redelivery-Count'],
  read(letter) {
    const retries = letter.count('MT-Fault-RetryCount')
    const redeliveries = letter.count('MT-Fault-RedeliveryCount', 'MT-Redelivery-Count')
    return failureOf({
      source: { channel: queueOfAddress(letter.text('MT-Fault-InputAddress')) },
      handler: letter.text('MT-Fault-ConsumerType'),
      reason: letter.text('MT-Reason'),
      errorType: letter.text('MT-Fault-ExceptionType'),
      errorMessage: letter.text('MT-Fault-Message'),
      stack: letter.text('MT-Fault-StackTrace'),
      attempts: retries === undefined && redeliveries === undefined ? undefined : 1 + (retries ?? 0) + (redeliveries ?? 0),
      failedAt: letter.time('MT-Fault-Timestamp'),
    })
  },
}
