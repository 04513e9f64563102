import { startBroker } from '../scripts/brokers/start.ts'
import { allScenarios } from '../src/transports/conformance/all-scenarios.ts'
import { runScenario } from '../src/transports/conformance/run.ts'
import type { Subject } from '../src/transports/conformance/subject.ts'

/** The real suite on a spike. Verbs that the spikes lack fail, as they should. */
const [name = 'rabbitmq', version, only = ''] = process.argv.slice(2)
const kind = name === 'sqs' ? 'elasticmq' : (name as 'rabbitmq' | 'kafka')
const broker = await startBroker(kind, version ? { version } : {})
const make = (await import(`./${name}.ts`))[`${name}Spike`]
const subject: Subject = {
  name,
  open: async () => make(broker.url),
  async openFragile() {
    const transport = make(broker.url)
    return { transport, crash: () => transport.crash() }
  },
  restart: () => broker.restart(),
  shortHold: 1_000,
  quiet: 1_500,
  patience: 8_000,
  ...(name === 'kafka' ? { group: 'suite' } : {}),
}
process.on('unhandledRejection', (error) => console.log('UNHANDLED', error))
const failed: string[] = []
for (const scenario of allScenarios) {
  if (!`${scenario.theme}: ${scenario.name}`.includes(only)) continue
  try {
    await runScenario(subject, scenario)
  } catch (error) {
    const text = (error as Error).message.replace(/\s+/g, ' ')
    if (text.includes('This spike has no')) continue
    failed.push(scenario.name)
    console.log(`FAIL ${scenario.theme}: ${scenario.name}\n       ${text.slice(0, 220)}`)
  }
}
console.log(
  `${name} ${broker.version}: ${failed.length} of ${allScenarios.length} failed (verbs that the spike lacks not counted)`,
)
await broker.stop()
process.exit(0)
