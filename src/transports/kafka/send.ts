import { hasCode, RedriveError } from '../../core/errors.ts'
import type { Receipt } from '../seam.ts'
import { createUnanswered } from '../unanswered.ts'
import { answerTo, codes, isPassing, refusal } from './answers.ts'
import {
  type Batch,
  type Filled,
  fill,
  firstOf,
  groupByProducer,
  isOutOfStep,
  isTooLarge,
  type Line,
  mayBeWritten,
  type Pending,
  type ProducerId,
  pendingOf,
} from './batches.ts'
import type { Cluster, TopicInfo } from './cluster.ts'
import type { Kafka } from './library.ts'
import type { NewRecord } from './new-record.ts'
import type { Settings } from './options.ts'
import { type ProduceAnswer, produce } from './produce.ts'

/**
 * Confirmed by all replicas that must have it, and idempotent: a batch that is sent again, because no answer came, is written once.
 * For each broker there is one request on its way; what is sent meanwhile goes into the next, so sends share round trips.
 */
export interface Producing {
  send(topic: string, record: NewRecord): Promise<Receipt>
  /** Resolves when every send has been answered. */
  settled(): Promise<void>
}

const tryAgainAfter = 50
const maxSequence = 2 ** 31

export function createProducing(cluster: Cluster, settings: Settings): Producing {
  const { clock, answerWithin } = settings
  /** By topic, then by partition. */
  const lines = new Map<string, (Line | undefined)[]>()
  const running = new Map<number, Promise<void>>()
  const unanswered = createUnanswered()
  let library: Kafka | undefined
  let producer: Promise<ProducerId> | undefined
  let unkeyed = 0
  let isComing = false

  async function newProducer(): Promise<ProducerId> {
    const { initProducerIdV4 } = await cluster.kafka
    const neverUsed = 60_000
    const { code, response } = await answerTo(initProducerIdV4.api.async(await cluster.any('ask'), null, neverUsed, -1n, -1))
    if (code !== codes.none) throw refusal(code, 'to number messages', '')
    return { id: response.producerId, epoch: response.producerEpoch, sequences: new Map() }
  }

  function producerId(): Promise<ProducerId> {
    producer ??= newProducer().catch((error) => {
      producer = undefined
      throw error
    })
    return producer
  }

  /** As Java's clients do it, so that a key has one partition whoever sends. */
  function partitionOf({ murmur2 }: Kafka, { leaders }: TopicInfo, { key }: NewRecord): number {
    if (key === undefined) return unkeyed++ % leaders.length
    return (murmur2(key) & 0x7fffffff) % leaders.length
  }

  /** What is known already is not waited for: that would be most of what a send costs. */
  function send(topic: string, record: NewRecord): Promise<Receipt> {
    const known = cluster.knownTopic(topic)
    const deadline = clock.monotonic() + answerWithin
    return known && library ? line(library, known, record, deadline) : ask(topic, record, deadline)
  }

  async function ask(topic: string, record: NewRecord, deadline: number): Promise<Receipt> {
    unanswered.began()
    try {
      const info = await cluster.topic(topic)
      library = await cluster.kafka
      return await line(library, info, record, deadline)
    } finally {
      unanswered.ended()
    }
  }

  function line(kafka: Kafka, info: TopicInfo, record: NewRecord, deadline: number): Promise<Receipt> {
    const { name: topic } = info
    const partition = partitionOf(kafka, info, record)
    unanswered.began()
    return new Promise<Receipt>((done, failed) => {
      const resolve = (offset: bigint | undefined): void => {
        done(offset === undefined ? { duplicate: false } : { duplicate: false, position: `${topic}/${partition}/${offset}` })
        unanswered.ended()
      }
      const reject = (error: RedriveError): void => {
        failed(error)
        unanswered.ended()
      }
      lineOf(topic, partition).waiting.push({ topic, partition, record, deadline, resolve, reject })
      proceedSoon()
    })
  }

  function lineOf(topic: string, partition: number): Line {
    const ofTopic = lines.get(topic) ?? []
    const line = ofTopic[partition] ?? { waiting: [], unconfirmed: undefined, alone: false }
    ofTopic[partition] = line
    lines.set(topic, ofTopic)
    return line
  }

  /** Whatever is sent in the same turn of the event loop shares requests. */
  function proceedSoon(): void {
    if (isComing) return
    isComing = true
    clock.soon(() => {
      isComing = false
      proceed()
    })
  }

  /** Starts a loop for every broker that has something to get and none running. */
  function proceed(): void {
    void byLeader().then(
      (leaders) => {
        for (const node of leaders.keys()) if (!running.has(node)) run(node)
      },
      async (error) => {
        await afterFailure(busyLines(), error)
        if (busyLines().length > 0) proceed()
      },
    )
  }

  function run(node: number): void {
    const loop = deliverAll(node).finally(() => {
      running.delete(node)
      if (busyLines().length > 0) proceed()
    })
    running.set(node, loop)
  }

  function busyLines(): readonly Line[] {
    return [...lines.values()]
      .flat()
      .filter((line): line is Line => line !== undefined && (line.waiting.length > 0 || line.unconfirmed !== undefined))
  }

  async function byLeader(): Promise<Map<number, Line[]>> {
    const leaders = new Map<number, Line[]>()
    for (const line of busyLines()) {
      const { topic, partition } = firstOf(line)
      const leader = await leaderOf(topic, partition)
      if (leader !== undefined) leaders.set(leader, [...(leaders.get(leader) ?? []), line])
    }
    return leaders
  }

  /** Nothing where the topic is gone: whatever was for it is refused. */
  async function leaderOf(topic: string, partition: number): Promise<number | undefined> {
    try {
      return (await cluster.topic(topic)).leaders[partition] ?? -1
    } catch (error) {
      if (!hasCode(error, 'unknown-channel')) throw error
      for (const line of busyLines()) if (firstOf(line).topic === topic) refuse(line, error)
      return undefined
    }
  }

  function refuse(line: Line, error: RedriveError): void {
    for (const { reject } of [...(line.unconfirmed?.records ?? []), ...line.waiting.splice(0)]) reject(error)
    if (line.unconfirmed) forgetNumbers()
    line.unconfirmed = undefined
  }

  async function deliverAll(node: number): Promise<void> {
    let mine: readonly Line[] = busyLines()
    while (mine.length > 0) {
      try {
        mine = (await byLeader()).get(node) ?? []
        if (mine.length > 0) await deliver(node, mine)
      } catch (error) {
        await afterFailure(mine, error)
      }
    }
  }

  async function deliver(node: number, mine: readonly Line[]): Promise<void> {
    const numbered = await producerId()
    const connection = await cluster.broker(node, 'ask')
    const filled = fill(mine, numbered)
    const doubtful = new Set(filled.map(({ batch }) => batch).filter(({ isUnsure }) => isUnsure))
    for (const { batch } of filled) batch.isUnsure = true
    const kafka = await cluster.kafka
    for (const ofOneProducer of groupByProducer(filled)) {
      const batches = ofOneProducer.map(({ batch }) => batch)
      conclude(ofOneProducer, await produce(kafka, connection, batches, { answerWithin, now: clock.now() }), doubtful)
    }
    if (filled.some(({ line }) => line.unconfirmed)) await pause()
  }

  function conclude(filled: readonly Filled[], answers: ReadonlyMap<string, ProduceAnswer>, doubtful: ReadonlySet<Batch>): void {
    for (const { line, batch } of filled) {
      const { topic, partition } = batch.records[0] as Pending
      const answer = answers.get(`${topic}:${partition}`)
      if (!answer || line.unconfirmed !== batch) continue
      batch.isUnsure = doubtful.has(batch) || mayBeWritten(answer.code)
      concludeOne(line, batch, answer.code, answer.offset)
    }
  }

  function concludeOne(line: Line, batch: Batch, code: number, baseOffset: bigint): void {
    const { topic } = batch.records[0] as Pending
    if (isPassing(code) || code === codes.unknownTopic) {
      forgetTopic(line, topic)
      return
    }
    line.unconfirmed = undefined
    if (code === codes.none) confirm(line, batch, baseOffset)
    else if (code === codes.duplicateSequence) confirm(line, batch, -1n)
    else if (isOutOfStep(code)) startOver(line, batch)
    else if (isTooLarge(code) && batch.records.length > 1) sendAlone(line, batch)
    else refuseBatch(batch, refusal(code, 'a message', topic))
  }

  /**
   * Refused this time; but it may have been written the time before. Its numbers are used by nobody else then: what came next with them would be
   * taken for its duplicate, and be called written.
   */
  function refuseBatch(batch: Batch, error: RedriveError): void {
    if (batch.isUnsure) forgetNumbers()
    for (const { reject } of batch.records) reject(batch.isUnsure ? notConfirmed(true, error) : error)
  }

  /** One of them is too large; the others are not to suffer for it. */
  function sendAlone(line: Line, { records }: Batch): void {
    line.alone = true
    line.waiting.unshift(...records)
  }

  /** A broker that recognises a batch may not know where it stands. */
  function confirm(line: Line, { records, producer: numbered, sequence }: Batch, baseOffset: bigint): void {
    const { topic, partition } = records[0] as Pending
    line.alone = false
    numbered.sequences.set(`${topic}:${partition}`, (sequence + records.length) % maxSequence)
    for (const [index, { resolve }] of records.entries()) resolve(baseOffset < 0n ? undefined : baseOffset + BigInt(index))
  }

  function forgetTopic(line: Line, topic: string): void {
    cluster.forget(topic)
    expire(line, new RedriveError('refused', `No broker takes messages for "${topic}" at the moment.`))
  }

  /** The broker has forgotten our numbers, or we lost count: under a new name the next ones are counted from none. */
  function startOver(line: Line, batch: Batch): void {
    forgetNumbers()
    if (!batch.isUnsure) line.waiting.unshift(...batch.records)
    else for (const { reject } of batch.records) reject(notConfirmed(true, undefined))
  }

  function forgetNumbers(): void {
    producer = undefined
  }

  async function afterFailure(mine: readonly Line[], cause: unknown): Promise<void> {
    const isLost = hasCode(cause, 'closed') || hasCode(cause, 'access-denied')
    for (const line of mine) {
      for (const topic of new Set(pendingOf(line).map((each) => each.topic))) cluster.forget(topic)
      if (isLost) refuse(line, cause)
      else expire(line, cause)
    }
    await pause()
  }

  /** Whatever has waited long enough is given up; where it was sent, nobody knows whether it was written. */
  function expire(line: Line, cause: unknown): void {
    const now = clock.monotonic()
    const { unconfirmed } = line
    if (unconfirmed?.records.some(({ deadline }) => deadline <= now)) {
      line.unconfirmed = undefined
      forgetNumbers()
      for (const { reject } of unconfirmed.records) reject(notConfirmed(unconfirmed.isUnsure, cause))
    }
    const late = line.waiting.filter(({ deadline }) => deadline <= now)
    // Not spread into arguments: more may wait than a call may have of those.
    line.waiting = line.waiting.filter(({ deadline }) => deadline > now)
    for (const { reject } of late) reject(notConfirmed(false, cause))
  }

  function pause(): Promise<void> {
    return new Promise<void>((resolve) => clock.after(tryAgainAfter, resolve))
  }

  return { send, settled: unanswered.none }
}

function notConfirmed(isUnsure: boolean, cause: unknown): RedriveError {
  return isUnsure
    ? new RedriveError('unsure', 'Kafka did not confirm the message in time.', { cause })
    : new RedriveError('unreachable', 'Kafka could not be reached in time.', { cause })
}
