import type { LetterFields } from '../letter-fields.ts'
import { queueOfAddress } from '../queue-of-address.ts'
import { asCount } from '../read-number.ts'
import { type DialectReader, failureOf } from '../reading.ts'

const retry = 'wolverine-kafka-retry-'

export const wolverine: DialectReader = {
  name: 'wolverine',
  producer: 'Wolverine',
  confidence: 'likely',
  signs: ['exception-type', 'original-destination', `${retry}source`],
  headers: ['exception-type', 'exception-message', 'exception-stack', 'original-*', 'failed-at', 'attempts', `${retry}*`],
  read: (letter) =>
    failureOf({
      source: {
        channel: queueOfAddress(letter.text('original-destination')) ?? letter.text(`${retry}source`),
        partition: asCount(letter.number('original-partition')),
        offset: letter.number('original-offset'),
      },
      errorType: letter.text('exception-type', `${retry}exception-type`),
      errorMessage: letter.text('exception-message', `${retry}exception-message`),
      stack: letter.text('exception-stack'),
      attempts: letter.count('attempts', `${retry}attempt`),
      firstSeenAt: firstFailed(letter),
      failedAt: letter.time('failed-at'),
    }),
}

/** .NET counts ticks of 100 ns from the year 1. */
const ticksBefore1970 = 621_355_968_000_000_000n

function firstFailed(letter: LetterFields): number | undefined {
  const ticks = letter.number(`${retry}first-failed`)
  return ticks === undefined || ticks < ticksBefore1970 ? undefined : Number((ticks - ticksBefore1970) / 10_000n)
}
