import { kafka } from '../src/transports/kafka/kafka.ts'
import { createTopic, deleteTopic, portOf, recordsIn } from '../test/brokers/kafka.ts'
import { committedOf } from '../test/brokers/kafka-observer.ts'
import { type Consumption, consumeAll } from './consuming.ts'
import type { Consume, Task, Work } from './kafka/task.ts'
import { fails } from './kafka/task.ts'
import type { Contender, PreparedRun } from './measure.ts'
import { orderMessage } from './payload.ts'
import { type Scenario, usualWarmUp } from './scenario.ts'

const libraries: Readonly<Record<string, () => Promise<Consume>>> = {
  bare: async () => (await import('./kafka/bare.ts')).consume,
  redrive: async () => (await import('./kafka/redrive.ts')).consume,
  kafkajs: async () => (await import('./kafka/kafkajs.ts')).consume,
  nest: async () => (await import('./kafka/nest.ts')).consume,
  '@moleculer/channels': async () => (await import('./kafka/moleculer-channels.ts')).consume,
}

const partitions = 4
let runs = 0

const everybody = Object.keys(libraries)
/** One commits each message: with as many messages as the others need, it would take minutes. */
const quick = everybody.filter((name) => name !== '@moleculer/channels')
/** Nest has no dead letters; with kafkajs they are sent one by one. */
const withLetters = quick.filter((name) => name !== 'nest')

/**
 * One in a hundred is a letter. The collection ahead of each run throws away what the compiler made of their path, since none of their objects
 * lives then; in a shorter run it would be at work on it for most of the time, as in the first seconds of a consumer that runs for weeks.
 */
const enoughForLetters = 1_440_000

/** Redrive beside the same client library by hand and beside what others use, on one real broker. */
export const kafkaScenarios: readonly Scenario[] = [
  scenario('success-kafka', 480_000, 'succeed', quick),
  withPoison(scenario('success-with-poison-kafka', enoughForLetters, 'poison', withLetters)),
  scenario('dead-letter-kafka', 80_000, 'dead-letter', ['bare', 'redrive']),
  scenario('success-few-kafka', 5000, 'succeed', everybody),
]

function scenario(name: string, messages: number, work: Work, names: readonly string[]): Scenario {
  return { name, messages, ...usualWarmUp, contenders: () => names.map((library) => contender(library, work)) }
}

/** What poison costs is the difference from the same without it, in the same rounds; and what it costs whoever does it by hand. */
function withPoison(scenario: Scenario): Scenario {
  const without = ['bare', 'redrive'].map((name) => ({ ...contender(name, 'succeed'), name: `${name} without poison` }))
  return { ...scenario, contenders: () => [...scenario.contenders(), ...without] }
}

function contender(name: string, work: Work): Contender {
  return {
    name,
    async prepare(messages) {
      const consume = await libraries[name]?.()
      if (!consume) throw new Error(`There is no contender ${name}.`)
      const url = process.env['REDRIVE_BENCH_KAFKA'] ?? ''
      const topic = `bench-${process.pid}-${++runs}`
      const task: Task = { url, topic, deadLetters: `${topic}.dlq`, group: topic, messages, work }
      await fill(task)
      return runOf(consume, task)
    },
  }
}

async function fill({ url, topic, deadLetters, messages }: Task): Promise<void> {
  await createTopic({ url }, topic, partitions)
  await createTopic({ url }, deadLetters, partitions)
  const transport = kafka({ bootstrapServers: url, groupId: topic })
  await transport.provision({ channels: [{ address: { name: topic }, role: 'work' }] }, 'apply')
  for (let sent = 0; sent < messages; sent += 2000) {
    const some = Array.from({ length: Math.min(2000, messages - sent) }, (_, index) => sent + index)
    await Promise.all(some.map((order) => transport.send({ name: topic }, orderMessage(order))))
  }
  await transport.close()
}

/** From the first message in a handler to the last commit; then it is counted what was lost. */
function runOf(consume: Consume, task: Task): PreparedRun {
  let consumption: Consumption | undefined
  let lost = 0
  return {
    async run(begin) {
      consumption = await consumeAll(consume, task, begin)
    },
    async cleanUp() {
      await consumption?.close()
      const letters = Array.from({ length: task.messages }, (_, order) => order).filter((order) => fails(task.work, order)).length
      lost = letters - (await recordsIn(task, task.deadLetters)).length
      const committed = await Promise.all(
        Array.from({ length: partitions }, (_, partition) => committedOf(task, task.group, task.topic, partition)),
      )
      const done = committed.reduce((sum, offset) => sum + (offset > 0n ? offset : 0n), 0n)
      if (done !== BigInt(task.messages))
        throw new Error(`${done} of ${task.messages} messages were committed at port ${portOf(task)}.`)
      for (const topic of [task.topic, task.deadLetters]) await deleteTopic(task, topic)
    },
    figures: () => ({ lost }),
  }
}
