import type { Events } from './events.ts'
import type { Logger } from './logger.ts'

/**
 * The log lines that operators search for, word for word as the seeds give them, each with its data as fields. Everything that
 * reaches an event is sanitised, so nothing here can quote a payload.
 */
export function logEvents(events: Events, logger: Logger): void {
  logFailures(events, logger)
  logLetters(events, logger)
  logLifecycle(events, logger)
}

function logFailures(events: Events, logger: Logger): void {
  events.on('failed', (event) => {
    const { errorType, description, correlationId } = event
    logger.error(event, `Log processing failure: Exception ${errorType}: ${description}, CorrelationID: ${correlationId}`)
    if (event.class === 'permanent') {
      logger.warn(event, `Non-retryable error for message: MessageId=${idOf(event)}, Error=${description}`)
    }
  })
  events.on('retried', (event) =>
    logger.info(event, `Abandoning message for retry: MessageId=${idOf(event)}, DeliveryCount=${event.deliveries}`),
  )
  events.on('timed-out', (event) => logger.warn(event, 'The handler ran into its timeout'))
  events.on('late', (event) => logger.warn(event, 'The handler finished after its timeout'))
  events.on('stuck', (event) => logger.fatal(event, 'The handler ignores its signal'))
  events.on('blocked', (event) => logger.error(event, 'The event loop was blocked'))
  events.on('batch-split', (event) => logger.warn(event, 'A batch failed as a whole; its messages run again, each alone'))
  events.on('suspect', (event) => logger.warn(event, 'Delivered before with no recorded outcome; runs alone'))
}

/** Not every broker gives a message an id. */
function idOf({ messageId }: { readonly messageId: string | undefined }): string {
  return messageId ?? '(none)'
}

function logLetters(events: Events, logger: Logger): void {
  const published = (event: { channel: string; to: string; correlationId: string | undefined; errorType: string }): object => ({
    ...event,
    original_topic: event.channel,
    dlq_topic: event.to,
    correlation_id: event.correlationId,
    error_type: event.errorType,
  })
  events.on('burying', (event) => {
    const { deliveries, reason } = event
    if (reason === 'PoisonMessage') {
      logger.warn(event, `Poison message detected - moving to DLQ: MessageId=${idOf(event)}, DeliveryCount=${deliveries}`)
    }
    if (reason === 'MaxDeliveryCountExceeded') {
      logger.error(event, 'Final retry attempt failed. Preparing to reject message.')
      logger.warn(event, `Message exceeded max delivery count: MessageId=${idOf(event)}, DeliveryCount=${deliveries}`)
    }
  })
  events.on('dead-lettered', (event) => logger.info(published(event), `Published failed message to DLQ: ${event.to}`))
  events.on('invalid', (event) => logger.info(published(event), `Published failed message to DLQ: ${event.to}`))
  events.on('dead-letter-failed', (event) =>
    logger.error({ ...published(event), dlq_error: event.error }, `Failed to publish to DLQ topic ${event.to}`),
  )
  events.on('spooled', (event) => logger.warn(published(event), 'Put the letter into the spool'))
  events.on('spool-failed', (event) => logger.error(event, 'The spool failed'))
  events.on('spool-found', (event) => logger.warn(event, 'Letters of an earlier process wait in the spool'))
  events.on('spool-set-aside', (event) => logger.error(event, 'Set a spool file aside; somebody must look at it'))
  events.on('spool-drained', (event) => logger.info(event, 'The spool is empty'))
  events.on('discarded', (event) =>
    logger.warn(
      event,
      event.asked ? 'Completed without a letter, as the handler asked' : 'Completed a failed message without a letter',
    ),
  )
}

function logLifecycle(events: Events, logger: Logger): void {
  events.on('started', (event) => logger.info(event, 'Consumer started'))
  events.on('stopped', (event) => logger.info(event, 'Consumer stopped'))
  events.on('paused', (event) => logger.warn(event, 'Channel paused'))
  events.on('resumed', (event) => logger.info(event, 'Channel resumed'))
  events.on('breaker-opened', (event) =>
    logger.error(event, 'Most messages fail; the breaker is open, and single messages probe'),
  )
  events.on('breaker-probed', (event) => logger.warn(event, 'The probe did not succeed; the breaker stays open'))
  events.on('breaker-closed', (event) => logger.info(event, 'A message succeeded; the breaker is closed'))
  events.on('hold-lost', (event) => logger.warn(event, 'The message is no longer ours; it will be delivered again'))
  events.on('settle-failed', (event) => logger.error(event, 'A settlement failed; the message stays ours or is delivered again'))
  events.on('connection-lost', (event) => logger.error(event, 'Lost the connection to the broker'))
  events.on('connection-restored', (event) => logger.info(event, 'Connected to the broker again'))
}
