import { appendFileSync } from 'node:fs'
import type { BrokerName } from '../../scripts/brokers/recipe.ts'
import { type Broker, MissingBroker, type StartOptions, startBroker } from '../../scripts/brokers/start.ts'
import { MissingToxiproxy, startToxiproxy, type Toxiproxy } from '../../scripts/brokers/toxiproxy.ts'

/** Set while tests are listed by name and none is run: then nobody talks to a broker, and none is started. */
export const onlyListing: boolean = process.env['REDRIVE_LIST_TESTS'] !== undefined

/**
 * A private broker for one test file. Where it cannot be had, a CI run fails; on a person's machine the answer is a note, which
 * `npm test` lists at its end with the command that provides the broker.
 */
export async function brokerForTests(
  name: BrokerName,
  version: string,
  options: Omit<StartOptions, 'version'> = {},
): Promise<Broker | { readonly notRun: string }> {
  if (onlyListing) return unstarted(name, version)
  try {
    return await startBroker(name, { ...options, version })
  } catch (error) {
    if (!(error instanceof MissingBroker) || process.env['CI']) throw error
    return noteNotRun(`NOT RUN: ${name} ${version}. Get it with: ${error.command}`)
  }
}

function unstarted(name: BrokerName, version: string): Broker {
  const actions = { control: refuse, kill: refuse, freeze: refuse, thaw: refuse, restart: refuse, stop: async () => {} }
  return { name, version, url: 'amqp://127.0.0.1:1', managementUrl: 'http://127.0.0.1:1', startedIn: 0, ...actions }
}

function refuse(): never {
  throw new Error('Tests are only listed: there is no broker.')
}

/** The same for the proxy that stands in front of brokers. */
export async function toxiproxyForTests(): Promise<Toxiproxy | { readonly notRun: string }> {
  if (onlyListing) return { before: refuse, stop: async () => {} }
  try {
    return await startToxiproxy()
  } catch (error) {
    if (!(error instanceof MissingToxiproxy) || process.env['CI']) throw error
    return noteNotRun(`NOT RUN: Toxiproxy. ${error.message}`)
  }
}

/** What a person's machine could not run is listed at the end of `npm test`. */
export function noteNotRun(notRun: string): { readonly notRun: string } {
  const list = process.env['REDRIVE_NOT_RUN_FILE']
  if (list) appendFileSync(list, `${notRun}\n`)
  return { notRun }
}
