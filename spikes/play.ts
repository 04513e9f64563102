import { startBroker } from '../scripts/brokers/start.ts'
import { play, type Stage } from './scenarios.ts'

const [name = 'rabbitmq', version, only] = process.argv.slice(2)
const kind = name === 'sqs' ? 'elasticmq' : (name as 'rabbitmq' | 'kafka')
const broker = await startBroker(kind, version ? { version } : {})
console.log(`${name} ${broker.version}, ready after ${Math.round(broker.startedIn)} ms`)
const open = (await import(`./${name}.ts`))[`${name}Spike`]
const stage: Stage = { name, open: () => open(broker.url), patience: 15_000 }
const failed = await play(stage, only)
await broker.stop()
console.log(failed === 0 ? 'all passed' : `${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
