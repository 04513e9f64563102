import { appendFileSync } from 'node:fs'
import type { BrokerName } from '../../scripts/brokers/recipe.ts'
import { type Broker, MissingBroker, startBroker } from '../../scripts/brokers/start.ts'

/**
 * A private broker for one test file. Where it cannot be had, a CI run fails; on a person's machine the answer is a note, which
 * `npm test` lists at its end with the command that provides the broker.
 */
export async function brokerForTests(name: BrokerName, version: string): Promise<Broker | { readonly notRun: string }> {
  try {
    return await startBroker(name, { version })
  } catch (error) {
    if (!(error instanceof MissingBroker) || process.env['CI']) throw error
    const notRun = `NOT RUN: ${name} ${version}. Get it with: ${error.command}`
    const list = process.env['REDRIVE_NOT_RUN_FILE']
    if (list) appendFileSync(list, `${notRun}\n`)
    return { notRun }
  }
}
