import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from '../src/core/errors.ts'
import { textHeader } from '../src/core/headers.ts'
import type { Message } from '../src/core/message.ts'
import type { Address, Delivery, Receiver } from '../src/transports/seam.ts'
import type { Spike } from './spike.ts'

export interface Stage {
  readonly name: string
  open(): Spike
  /** How long after a crash the message may take to come again. */
  readonly patience: number
}

interface Actors {
  readonly stage: Stage
  readonly one: Spike
  another(): Spike
  readonly work: Address
  readonly grave: Address
}

const hold = 2_000
const bytes = (text: string): Uint8Array => Buffer.from(text)
const message = (text = 'hello', extra: Partial<Message> = {}): Message => ({
  id: randomUUID(),
  body: bytes(text),
  headers: [],
  ...extra,
})
const textOf = (delivery: Delivery): string => Buffer.from(delivery.message.body ?? []).toString()

async function first(receiver: Receiver, patience: number): Promise<Delivery> {
  const [delivery] = await receiver.take(1, patience)
  assert(delivery, 'a delivery should have come')
  return delivery
}

const scenarios: Record<string, (actors: Actors) => Promise<void>> = {
  async 'what is sent comes with its bytes, headers and key'({ one, work, stage }) {
    const sent = message('\u0000\u00ff{"a":1}', {
      headers: [
        ['a', 'text'],
        ['b', 'x'],
      ],
      key: 'k1',
      type: 'order',
      correlationId: 'c-1',
      contentType: 'text/plain',
    })
    await one.send({ name: work.name }, sent)
    const receiver = await one.receive(work, { prefetch: 10, hold })
    const { message: got, deliveries, suspect, turns } = await first(receiver, stage.patience)
    assert.deepEqual(Buffer.from(got.body ?? []), Buffer.from(sent.body ?? []))
    assert.deepEqual([textHeader(got.headers, 'a'), textHeader(got.headers, 'b')], ['text', 'x'])
    assert.deepEqual(
      [got.id, String(got.key), got.type, got.correlationId, got.contentType],
      [sent.id, 'k1', 'order', 'c-1', 'text/plain'],
    )
    assert.deepEqual([deliveries, turns, suspect], [1, 0, false])
  },
  async 'bytes that are no text survive'({ one, work, stage }) {
    const body = Uint8Array.from({ length: 256 }, (_, index) => index)
    await one.send({ name: work.name }, { ...message(), body })
    const got = await first(await one.receive(work, { prefetch: 1, hold }), stage.patience)
    assert.deepEqual(Buffer.from(got.message.body ?? []), Buffer.from(body))
  },
  async 'a completed message leaves'({ one, another, work, stage }) {
    await one.send({ name: work.name }, message())
    await one.settle(await first(await one.receive(work, { prefetch: 1, hold }), stage.patience), { kind: 'complete' })
    await one.close()
    assert.deepEqual(await (await another().receive(work, { prefetch: 1, hold: 1_000 })).take(1, 1_500), [])
  },
  async 'a released message comes again'({ one, work, stage }) {
    await one.send({ name: work.name }, message())
    const receiver = await one.receive(work, { prefetch: 1, hold })
    await one.settle(await first(receiver, stage.patience), { kind: 'release' })
    const again = await first(receiver, stage.patience)
    assert.equal(textOf(again), 'hello')
    await one.settle(again, { kind: 'complete' })
  },
  async 'a retry comes after its delay and not before'({ one, work, stage }) {
    await one.send({ name: work.name }, message())
    const receiver = await one.receive(work, { prefetch: 5, hold })
    const delivery = await first(receiver, stage.patience)
    const began = performance.now()
    if (one.capabilities.retry.by === 'native') await one.settle(delivery, { kind: 'retry', delay: 1_000 })
    else {
      await one.send(work, delivery.message, { delay: 1_000 })
      await one.settle(delivery, { kind: 'complete' })
    }
    const again = await first(receiver, stage.patience + 2_000)
    const took = performance.now() - began
    assert(took >= 990, `it came after ${took} ms`)
    assert.equal(textOf(again), 'hello')
    await one.settle(again, { kind: 'complete' })
    console.log(`      1000 ms became ${Math.round(took)} ms`)
  },
  async 'a delivery whose hold was lost cannot be settled, and comes again as a suspect'({ one, another, work, stage }) {
    await one.send({ name: work.name }, message())
    const delivery = await first(await one.receive(work, { prefetch: 1, hold: 1_000 }), stage.patience)
    await one.crash()
    if (!delivery.hold.signal.aborted) await new Promise((resolve) => delivery.hold.signal.addEventListener('abort', resolve))
    await assert.rejects(one.settle(delivery, { kind: 'complete' }), (error) => hasCode(error, 'hold-lost'))
    const again = await first(await another().receive(work, { prefetch: 1, hold }), stage.patience)
    assert.equal(textOf(again), 'hello')
    assert.equal(again.suspect, true)
  },
  async 'settling twice is safe, and the first one wins'({ one, work, stage }) {
    await one.send({ name: work.name }, message())
    const receiver = await one.receive(work, { prefetch: 1, hold: 1_000 })
    const delivery = await first(receiver, stage.patience)
    await Promise.all([one.settle(delivery, { kind: 'complete' }), one.settle(delivery, { kind: 'release' })])
    await one.settle(delivery, { kind: 'release' })
    assert.deepEqual(await receiver.take(1, 1_500), [])
  },
  async 'a send to a missing channel rejects'({ one }) {
    await assert.rejects(one.send({ name: `missing-${randomUUID()}` }, message()), (error) => hasCode(error, 'unknown-channel'))
  },
  async 'receiving from a missing channel rejects'({ one }) {
    const nowhere = { name: `missing-${randomUUID()}`, group: 'g' }
    await assert.rejects(one.receive(nowhere, { prefetch: 1, hold }), (error) => hasCode(error, 'unknown-channel'))
  },
  async 'two receivers share nothing and miss nothing'({ one, another, work, stage }) {
    const receivers = [
      await one.receive(work, { prefetch: 5, hold: 30_000 }),
      await another().receive(work, { prefetch: 5, hold: 30_000 }),
    ]
    await sleep(stage.name === 'kafka' ? 1_500 : 0)
    const sent = Array.from({ length: 40 }, (_, index) => message(`m${index}`, { key: `k${index}` }))
    await Promise.all(sent.map((each) => one.send({ name: work.name }, each)))
    const seen: string[] = []
    const until = performance.now() + stage.patience
    await Promise.all(
      receivers.map(async (receiver, index) => {
        while (seen.length < 40 && performance.now() < until)
          for (const delivery of await receiver.take(5, 200)) {
            seen.push(textOf(delivery))
            await (index === 0 ? one : (spikes.at(-1) ?? one)).settle(delivery, { kind: 'complete' })
          }
      }),
    )
    assert.equal(new Set(seen).size, 40, `${new Set(seen).size} of 40 came`)
    assert.equal(seen.length, 40, 'one came twice')
  },
  async 'closing the transport gives back what it holds'({ one, another, work, stage }) {
    await Promise.all(['a', 'b', 'c'].map((text) => one.send({ name: work.name }, message(text))))
    const receiver = await one.receive(work, { prefetch: 3, hold: 30_000 })
    await first(receiver, stage.patience)
    await one.close()
    await assert.rejects(one.send({ name: work.name }, message()), (error) => hasCode(error, 'closed'))
    const next = await another().receive(work, { prefetch: 3, hold })
    const seen = new Set<string>()
    const until = performance.now() + stage.patience
    while (seen.size < 3 && performance.now() < until)
      for (const delivery of await next.take(3, 500)) {
        seen.add(textOf(delivery))
        await spikes.at(-1)?.settle(delivery, { kind: 'complete' })
      }
    assert.equal(seen.size, 3)
  },
  async 'a closed receiver gives nothing more, and what is held can be settled'({ one, another, work, stage }) {
    await one.send({ name: work.name }, message())
    const receiver = await one.receive(work, { prefetch: 1, hold: 5_000 })
    const delivery = await first(receiver, stage.patience)
    await receiver.close()
    await receiver.close()
    assert.deepEqual(await receiver.take(1, 100), [])
    await one.settle(delivery, { kind: 'complete' })
    await one.close()
    assert.deepEqual(await (await another().receive(work, { prefetch: 1, hold })).take(1, 1_500), [])
  },
  async 'send then complete moves a message to the dead-letter channel, byte for byte'({ one, work, grave, stage }) {
    const sent = message('\u00e9 poison', { headers: [['trace', 't-1']], key: 'k9' })
    await one.send({ name: work.name }, sent)
    const delivery = await first(await one.receive(work, { prefetch: 1, hold }), stage.patience)
    await one.send(
      { name: grave.name },
      { ...delivery.message, headers: [...delivery.message.headers, ['redrive-letter', 'l-1']] },
    )
    await one.settle(delivery, { kind: 'complete' })
    const buried = await first(await one.receive(grave, { prefetch: 1, hold }), stage.patience)
    assert.equal(textOf(buried), '\u00e9 poison')
    assert.deepEqual(
      [textHeader(buried.message.headers, 'trace'), textHeader(buried.message.headers, 'redrive-letter')],
      ['t-1', 'l-1'],
    )
    assert.deepEqual([buried.message.id, String(buried.message.key)], [sent.id, 'k9'])
  },
  async 'take gives no more than it is asked for, and waits no longer than told'({ one, work, stage }) {
    await Promise.all(['a', 'b', 'c'].map((text) => one.send({ name: work.name }, message(text))))
    const receiver = await one.receive(work, { prefetch: 10, hold: 30_000 })
    const seen: Delivery[] = []
    while (seen.length < 3) {
      const some = await receiver.take(2, stage.patience)
      assert(some.length > 0 && some.length <= 2)
      seen.push(...some)
    }
    const began = performance.now()
    assert.deepEqual(await receiver.take(2, 300), [])
    assert(performance.now() - began < 2_000)
  },
}

const spikes: Spike[] = []

export async function play(stage: Stage, only = ''): Promise<number> {
  let failed = 0
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (!name.includes(only)) continue
    const id = randomUUID().slice(0, 8)
    const work = { name: `work-${id}`, group: `group-${id}` }
    const grave = { name: `grave-${id}`, group: `group-${id}` }
    const another = (): Spike => {
      const spike = stage.open()
      spikes.push(spike)
      return spike
    }
    const one = another()
    const began = performance.now()
    try {
      await one.provision(
        {
          channels: [
            { address: work, role: 'work' },
            { address: grave, role: 'dead-letter' },
          ],
        },
        'apply',
      )
      await scenario({ stage, one, another, work, grave })
      console.log(`  ok   ${name} (${Math.round(performance.now() - began)} ms)`)
    } catch (error) {
      failed++
      console.log(`  FAIL ${name}\n`, error)
    }
    await Promise.all(spikes.splice(0).map((spike) => spike.close().catch((error) => console.log('  close failed', error))))
  }
  return failed
}
