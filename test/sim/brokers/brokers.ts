import type { Clock } from '../../../src/core/ports.ts'
import { leaseBroker } from './lease-broker.ts'
import { logBroker } from './log-broker.ts'
import { pendingBroker } from './pending-broker.ts'
import type { Family, SimBroker } from './sim-broker.ts'
import { tagBroker } from './tag-broker.ts'

/** What a family's broker is like where brokers of one family differ. */
export interface BrokerKind {
  readonly family: Family
  /** Of the tag family: a quorum queue counts deliveries, a classic one nothing. */
  readonly tagCounts: 'deliveries' | 'copies'
}

export function createBroker({ family, tagCounts }: BrokerKind, clock: Clock): SimBroker {
  switch (family) {
    case 'lease':
      return leaseBroker(clock)
    case 'tag':
      return tagBroker(clock, tagCounts)
    case 'log':
      return logBroker(clock)
    case 'pending':
      return pendingBroker(clock)
  }
}
