import { type DialectReader, failureOf } from '../reading.ts'

const error = 'NServiceBus.ExceptionInfo.'

export const nservicebus: DialectReader = {
  name: 'nservicebus',
  producer: 'NServiceBus',
  confidence: 'certain',
  signs: ['NServiceBus.FailedQ', `${error}ExceptionType`],
  headers: ['NServiceBus.FailedQ', `${error}*`, 'NServiceBus.TimeOfFailure', 'NServiceBus.Retries*'],
  read(letter) {
    const delayedRetries = letter.count('NServiceBus.Retries')
    return failureOf({
      source: { channel: letter.text('NServiceBus.FailedQ') },
      group: letter.text('NServiceBus.ProcessingEndpoint'),
      handler: letter.text(`${error}Data.Handler type`),
      errorType: letter.text(`${error}InnerExceptionType`, `${error}ExceptionType`),
      errorMessage: letter.text(`${error}Message`),
      stack: letter.text(`${error}StackTrace`),
      attempts: delayedRetries === undefined ? undefined : delayedRetries + 1,
      failedAt: letter.time('NServiceBus.TimeOfFailure'),
    })
  },
}
