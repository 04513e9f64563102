import type { ChannelReport, ConsumerReport } from '../../src/core/consumer-report.ts'

/** A channel of a consumer that does well. */
export function channelReport(changes: Partial<ChannelReport> = {}): ChannelReport {
  return {
    ...{ name: 'orders', group: null, deadLetter: 'dlq.orders', state: 'consuming' as const },
    ...{ running: 0, held: 0, parked: 0, spooled: 0, spoolAside: 0 },
    counts: { received: 3, completed: 2, retried: 0, released: 0, failedRuns: 1, deadLettered: 1, publishFailures: 0 },
    ...changes,
  }
}

export function report(changes: Partial<ConsumerReport> = {}): ConsumerReport {
  return {
    ...{ service: 'shop', instance: 'shop-0', run: 'run-1', number: 1, version: '1.4.0', environment: 'test' },
    ...{ every: 5000, isLast: false, channels: [channelReport()], deadLettered: [], succeeded: [], forgotten: 0 },
    ...changes,
  }
}
