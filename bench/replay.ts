import { mostInFlight } from '../src/ops/replay/run-replay.ts'
import { barePublisher } from './replay/bare.ts'
import { redriveReplay } from './replay/redrive.ts'
import { shovel } from './replay/shovel.ts'
import type { Scenario } from './scenario.ts'

/**
 * Letters back into a quorum queue: the control plane with its ledger, beside a publisher that remembers nothing and has as many in flight, the
 * same with ten times as many, and the broker's own shovel. The processor time of the shovel is the broker's, and not counted.
 */
export const replayScenarios: readonly Scenario[] = [
  {
    name: 'replay-rabbitmq',
    messages: 100_000,
    warmUp: 10_000,
    contenders: () => [barePublisher('bare', mostInFlight), redriveReplay, barePublisher('window-1000', 1000), shovel],
  },
]
