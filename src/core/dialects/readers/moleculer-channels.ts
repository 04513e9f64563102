import { fromBase64 } from '../../base64.ts'
import { asCount } from '../read-number.ts'
import { type DialectReader, failureOf } from '../reading.ts'

export const moleculerChannels: DialectReader = {
  name: 'moleculer-channels',
  producer: '@moleculer/channels',
  confidence: 'certain',
  signs: ['x-original-group'],
  headers: [
    'x-original-channel',
    'x-original-group',
    'x-original-partition',
    'x-original-id',
    'x-error-*',
    'x-redelivered-count',
  ],
  read(letter) {
    const redeliveries = letter.count('x-redelivered-count')
    return failureOf({
      source: {
        channel: letter.text('x-original-channel'),
        partition: asCount(letter.number('x-original-partition')),
        position: letter.text('x-original-id'),
      },
      group: letter.text('x-original-group'),
      reason: letter.text('x-error-type', 'x-error-code'),
      errorType: letter.text('x-error-name'),
      errorMessage: letter.text('x-error-message'),
      stack: plainStack(letter.text('x-error-stack')),
      attempts: redeliveries === undefined ? undefined : redeliveries + 1,
      failedAt: letter.time('x-error-timestamp'),
    })
  },
}

const decoder = new TextDecoder()

/** It is written in base64, because it has many lines. */
function plainStack(stack: string | undefined): string | undefined {
  const bytes = stack === undefined ? undefined : fromBase64(stack)
  return bytes === undefined ? stack : decoder.decode(bytes)
}
