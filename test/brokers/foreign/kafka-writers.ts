import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findKafkaWriters, MissingKafkaWriters } from '../../../scripts/brokers/kafka-writers.ts'
import { javaArguments } from '../../../scripts/brokers/maven.ts'
import { onPath } from '../../../scripts/brokers/path.ts'
import { freePorts } from '../../../scripts/brokers/ports.ts'
import { run } from '../../../scripts/brokers/process.ts'
import { noteNotRun, onlyListing } from '../broker-for-tests.ts'

/** Real programs of others, which read a topic and write what they cannot process to a dead-letter topic of theirs. */
export interface KafkaWriters {
  /** Dead letters of `topic` go to `{topic}-dlt`, after three attempts. */
  spring(brokers: string, topic: string): Promise<Writer>
  /** A file sink that takes JSON alone, keys included; everything else goes to `deadLetters`, with its headers. */
  connect(brokers: string, topic: string, deadLetters: string): Promise<Writer>
}

export interface Writer {
  stop(): Promise<void>
}

const heap = 192
const program = fileURLToPath(new URL('./SpringDeadLetters.java', import.meta.url))

/** Where they cannot be had, a CI run fails; on a person's machine the answer is a note. */
export function kafkaWritersForTests(): KafkaWriters | { readonly notRun: string } {
  const jars = onlyListing ? '' : findKafkaWriters()
  if (jars !== undefined) return writersOf(jars)
  const missing = new MissingKafkaWriters()
  if (process.env['CI']) throw missing
  return noteNotRun(`NOT RUN: ${missing.message}`)
}

function writersOf(jars: string): KafkaWriters {
  return {
    spring: (brokers, topic) => startJava('spring', async () => [...javaArguments(jars, heap), program, brokers, topic]),
    connect: (brokers, topic, deadLetters) =>
      startJava('connect', async (folder) => {
        const [port = 0] = await freePorts(1)
        const [worker, sink] = [join(folder, 'worker.properties'), join(folder, 'sink.properties')]
        await writeFile(worker, workerProperties(folder, brokers, port))
        await writeFile(sink, sinkProperties(folder, topic, deadLetters))
        return [...javaArguments(jars, heap), 'org.apache.kafka.connect.cli.ConnectStandalone', worker, sink]
      }),
  }
}

async function startJava(name: string, argumentsIn: (folder: string) => Promise<readonly string[]>): Promise<Writer> {
  const folder = mkdtempSync(join(tmpdir(), `redrive-${name}-`))
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder }
  const args = await argumentsIn(folder)
  const running = await run({ program: onPath('java') ?? 'java', args, env, folder, log: join(folder, `${name}.log`) })
  return {
    async stop() {
      await running.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function workerProperties(folder: string, brokers: string, port: number): string {
  return lines({
    'bootstrap.servers': brokers,
    listeners: `http://127.0.0.1:${port}`,
    'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'key.converter.schemas.enable': false,
    'value.converter.schemas.enable': false,
    'offset.storage.file.filename': join(folder, 'offsets'),
    'plugin.discovery': 'only_scan',
  })
}

function sinkProperties(folder: string, topic: string, deadLetters: string): string {
  return lines({
    name: 'archive',
    'connector.class': 'FileStreamSink',
    'tasks.max': 1,
    topics: topic,
    file: join(folder, 'archive.txt'),
    'errors.tolerance': 'all',
    'errors.deadletterqueue.topic.name': deadLetters,
    'errors.deadletterqueue.topic.replication.factor': 1,
    'errors.deadletterqueue.context.headers.enable': true,
  })
}

function lines(properties: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
