import { readdirSync, realpathSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findJars, forTheJvm, installJars, javaArguments } from './maven.ts'
import { onPath } from './path.ts'
import { ask } from './probe.ts'
import { type Command, run } from './process.ts'
import type { Installation, Prepared, Recipe } from './recipe.ts'

const logging = fileURLToPath(new URL('./kafka/log4j2.properties', import.meta.url))
const heap = 256

export const kafka: Recipe = {
  name: 'kafka',
  urlVariable: 'REDRIVE_KAFKA_URL',
  versions: ['4.3.1'],
  async install(version) {
    if (!find(version)) await installJars('kafka', version)
  },
  find,
}

function find(version: string): Installation | undefined {
  const jars = jarsOnPath(version) ?? findJars('kafka', version)
  return jars === undefined
    ? undefined
    : { version, ports: 2, prepare: (folder, ports, settings) => prepare(jars, folder, ports, settings) }
}

/** A distribution keeps its jars beside its `bin`, and the version in their names. */
function jarsOnPath(version: string): string | undefined {
  const program = onPath('kafka-server-start.sh')
  if (program === undefined) return undefined
  const jars = join(dirname(dirname(realpathSync(program))), 'libs')
  return readdirSync(jars).includes(`kafka_2.13-${version}.jar`) ? jars : undefined
}

async function prepare(jars: string, folder: string, ports: readonly number[], settings: readonly string[]): Promise<Prepared> {
  const [port = 0, controller = 0] = ports
  const { jvm, own } = forTheJvm(settings)
  const properties = join(folder, 'server.properties')
  const listeners = `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`
  const advertised = `PLAINTEXT://127.0.0.1:${port}`
  // A setting replaces what stands before it, so a listener more has to name ours as well.
  const added = own.map((line) => line.replace('{listeners}', listeners).replace('{advertised}', advertised))
  await writeFile(properties, [serverProperties(folder, listeners, advertised, controller), ...added, ''].join('\n'))
  const java = (...args: string[]): Command => ({
    program: onPath('java') ?? 'java',
    args: [`-Dlog4j2.configurationFile=${logging}`, ...javaArguments(jars, heap, jvm), ...args],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    folder,
    log: join(folder, 'kafka.log'),
  })
  await format(java('kafka.tools.StorageTool', 'format', '--ignore-formatted', '-t', 'cmVkcml2ZS1yZWRyaXZlLQ', '-c', properties))
  return {
    commands: [java('kafka.Kafka', properties)],
    url: `127.0.0.1:${port}`,
    ready: () => knowsABroker(port),
  }
}

async function format(command: Command): Promise<void> {
  const { code } = await (await run(command)).ended
  if (code !== 0) throw new Error(`Kafka's storage could not be formatted; ${command.log} says why.`)
}

/** One node that is broker and controller. Short sessions, or a restart after kill -9 waits for the old one to be forgotten. */
function serverProperties(folder: string, listeners: string, advertised: string, controller: number): string {
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners,
    'advertised.listeners': advertised,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': join(folder, 'data'),
    'auto.create.topics.enable': false,
    'default.replication.factor': 1,
    'min.insync.replicas': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1_000,
    'group.consumer.session.timeout.ms': 6_000,
    'group.consumer.min.session.timeout.ms': 1_000,
    'group.consumer.heartbeat.interval.ms': 1_000,
    'group.consumer.min.heartbeat.interval.ms': 500,
    'broker.heartbeat.interval.ms': 500,
    'broker.session.timeout.ms': 1_500,
    'controlled.shutdown.enable': false,
    'num.network.threads': 2,
    'num.io.threads': 2,
    'background.threads': 2,
    'log.cleaner.dedupe.buffer.size': 2_097_152,
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}

/** A metadata request, version 4, for no topics. A broker that is still fenced answers with an empty list of brokers. */
async function knowsABroker(port: number): Promise<boolean> {
  const answer = await ask(port, Buffer.from('0000000f000300040000000100000000000000', 'hex'))
  const brokersAt = 4 + 4 + 4
  return answer.readInt32BE(brokersAt) > 0
}
