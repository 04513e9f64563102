import { afterAll, expect, test } from 'vitest'
import type { BrokerName } from '../../scripts/brokers/recipe.ts'
import type { Broker, StartOptions } from '../../scripts/brokers/start.ts'
import { brokerForTests } from './broker-for-tests.ts'

/** What a busy machine may take to end a server and remove what it wrote, which is no part of what is tested. Milliseconds. */
const patience = 240_000

/** Declares tests once for each version of a broker, each with a private one that stops behind them. */
export async function onBrokers(
  name: BrokerName,
  versions: readonly string[],
  declare: (broker: Broker, version: string) => void | Promise<void>,
  options: Pick<StartOptions, 'settings'> = {},
): Promise<void> {
  for (const version of versions) {
    const broker = await brokerForTests(name, version, options)
    if ('notRun' in broker) {
      test(broker.notRun, () => expect(process.env['CI']).toBeFalsy())
      continue
    }
    // Hooks run in the reverse order: whoever uses the broker is done when it stops.
    afterAll(() => broker.stop(), patience)
    await declare(broker, version)
  }
}
