import { type DialectReader, failureOf } from '../reading.ts'

/** One nested header holds everything, the recoveries by the name of the queue. */
export const rascal: DialectReader = {
  name: 'rascal',
  producer: 'rascal',
  confidence: 'certain',
  signs: ['rascal'],
  headers: ['rascal'],
  read(letter) {
    const told = letter.table('rascal')
    const error = told?.table('error')
    if (told === undefined || error === undefined) return undefined
    const queue = told.text('originalQueue')
    const recovery = told.table('recovery')?.table(queue ?? '')
    const republished = recovery?.count('republished', 'forwarded')
    return failureOf({
      source: { channel: queue, position: told.text('originalExchange') },
      errorType: error.text('code'),
      errorMessage: error.text('message'),
      attempts: republished,
      deliveries: told.count('redeliveries'),
    })
  },
}
