import { setTimeout as sleep } from 'node:timers/promises'
import { startBroker } from '../scripts/brokers/start.ts'
import type { Delivery, Receiver } from '../src/transports/seam.ts'
import type { Spike } from './spike.ts'

/** Questions rather than tests: what each broker says when the seam is pulled at its edges. */
const [name = 'rabbitmq', version] = process.argv.slice(2)
const kind = name === 'sqs' ? 'elasticmq' : (name as 'rabbitmq' | 'kafka')
const broker = await startBroker(kind, version ? { version } : {})
const make = (await import(`./${name}.ts`))[`${name}Spike`]
const open = (): Spike => make(broker.url)
const patience = 15_000
let serial = 0

async function fresh(spike: Spike): Promise<{ name: string; group: string }> {
  const address = { name: `probe-${++serial}-${Date.now()}`, group: `g${serial}` }
  await spike.provision({ channels: [{ address, role: 'work' }] }, 'apply')
  return address
}
const body = (text: string) => ({ id: text, key: 'one-key', body: Buffer.from(text), headers: [] })
const show = (d: Delivery | undefined) =>
  d
    ? { text: Buffer.from(d.message.body ?? []).toString(), deliveries: d.deliveries, turns: d.turns, suspect: d.suspect }
    : 'nothing'
const outcome = (p: Promise<unknown>) =>
  p.then(
    (v) => `resolved ${v ?? ''}`,
    (e) => `rejected ${e.code}`,
  )
async function one(receiver: Receiver, wait = patience): Promise<Delivery> {
  const [delivery] = await receiver.take(1, wait)
  if (!delivery) throw new Error('nothing came')
  return delivery
}
const timed = async <T>(p: Promise<T>): Promise<string> => {
  const t = performance.now()
  const r = await outcome(p)
  return `${r} after ${Math.round(performance.now() - t)} ms`
}
async function probe(what: string, work: () => Promise<void>): Promise<void> {
  console.log(`- ${what}`)
  await work().catch((error) => console.log('    FAILED', error))
}

await probe('a release, seen by the next delivery', async () => {
  const a = open()
  const ch = await fresh(a)
  await a.send({ name: ch.name }, body('m'))
  const r = await a.receive(ch, { prefetch: 1, hold: 30_000 })
  await a.settle(await one(r), { kind: 'release' })
  console.log('   ', show(await one(r)))
  await a.close()
})

await probe('a buffer that was never taken, after a crash and after a polite close', async () => {
  for (const way of ['crash', 'close'] as const) {
    const a = open()
    const ch = await fresh(a)
    for (const t of ['a', 'b', 'c', 'd']) await a.send({ name: ch.name }, body(t))
    const r = await a.receive(ch, { prefetch: 4, hold: 1_000 })
    const d = await one(r)
    if (way === 'close') await a.settle(d, { kind: 'complete' })
    await sleep(300)
    await a[way]()
    const b = open()
    const r2 = await b.receive(ch, { prefetch: 4, hold: 30_000 })
    const seen: unknown[] = []
    for (let i = 0; i < 6 && seen.length < 4; i++)
      for (const each of await r2.take(4, 2_500)) {
        seen.push(JSON.stringify(show(each)))
        await b.settle(each, { kind: 'complete' })
      }
    console.log(`    ${way}:`, seen.join(' '))
    await a.close()
    await b.close()
  }
})

if (make(broker.url).capabilities.retry.by === 'native')
  await probe('a native retry, seen by another process; and the sibling behind it', async () => {
    const a = open()
    const ch = await fresh(a)
    await a.send({ name: ch.name }, body('m'))
    await a.send({ name: ch.name }, body('behind'))
    const r = await a.receive(ch, { prefetch: 10, hold: 30_000 })
    const d = await one(r)
    const t = performance.now()
    await a.settle(d, { kind: 'retry', delay: 2_000 })
    const next = await one(r)
    console.log('   ', show(next), `after ${Math.round(performance.now() - t)} ms`)
    await a.settle(next, { kind: 'complete' })
    console.log('   ', show(await one(r)), `after ${Math.round(performance.now() - t)} ms`)
    await a.close()
  })

if (name === 'kafka') {
  await probe('completions out of order, then a crash', async () => {
    const a = open()
    const ch = await fresh(a)
    for (const t of ['a', 'b', 'c', 'd']) await a.send({ name: ch.name }, body(t))
    const r = await a.receive(ch, { prefetch: 4, hold: 30_000 })
    const got: Delivery[] = []
    while (got.length < 4) got.push(...(await r.take(4, patience)))
    for (const d of [got[1], got[3]]) if (d) await a.settle(d, { kind: 'complete' })
    await a.crash()
    const b = open()
    const r2 = await b.receive(ch, { prefetch: 4, hold: 30_000 })
    const batch = await r2.take(4, patience)
    console.log('    batch of', batch.length, show(batch[0]))
    console.log('    while it is in hand', (await r2.take(4, 300)).length)
    await b.crash()
    const c = open()
    const r3 = await c.receive(ch, { prefetch: 4, hold: 30_000 })
    const third = await one(r3)
    console.log('    after it killed its consumer', show(third))
    await c.settle(third, { kind: 'complete' })
    const neighbour = await one(r3)
    console.log('    its neighbour', show(neighbour))
    await c.settle(neighbour, { kind: 'complete' })
    console.log('    then', (await r3.take(4, 1_000)).length)
    for (const s of [a, b, c]) await s.close()
  })
  await probe('a rebalance while everything is in hand', async () => {
    const a = open()
    const ch = await fresh(a)
    for (let i = 0; i < 16; i++) await a.send({ name: ch.name }, { ...body(`m${i}`), key: `k${i}` })
    const r = await a.receive(ch, { prefetch: 16, hold: 30_000 })
    const got: Delivery[] = []
    while (got.length < 16) got.push(...(await r.take(16, patience)))
    const b = open()
    const t = performance.now()
    const r2 = await b.receive(ch, { prefetch: 16, hold: 30_000 })
    console.log(
      `    the other one joined after ${Math.round(performance.now() - t)} ms; lost here: ${got.filter((d) => d.hold.signal.aborted).length} of 16`,
    )
    const results = await Promise.all(got.map((d) => outcome(a.settle(d, { kind: 'complete' }))))
    console.log(
      '    settles here:',
      JSON.stringify(
        Object.groupBy(results, (x) => x),
        (_k, v) => (Array.isArray(v) ? v.length : v),
      ),
    )
    const again: Delivery[] = []
    for (let i = 0; i < 30; i++) {
      const some = await r2.take(16, 300)
      again.push(...some)
      for (const d of some) await b.settle(d, { kind: 'complete' })
    }
    console.log(`    came again there: ${again.length}, suspects: ${again.filter((d) => d.suspect).length}`)
    await a.close()
    await b.close()
  })
}

if (name === 'rabbitmq')
  await probe('what a barrier behind the acks costs', async () => {
    const a = open()
    const ch = await fresh(a)
    const n = 10_000
    const t0 = performance.now()
    for (let i = 0; i < n; i += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, k) => a.send({ name: ch.name }, { ...body(`m${i + k}`), body: Buffer.alloc(1024) })),
      )
    console.log(`    send, 500 in flight: ${Math.round(n / ((performance.now() - t0) / 1000))}/s`)
    const r = await a.receive(ch, { prefetch: 200, hold: 0 })
    const t = performance.now()
    let done = 0
    let settling = 0
    while (done < n) {
      const some = await r.take(200, 1_000)
      done += some.length
      for (const d of some) {
        settling++
        void a.settle(d, { kind: 'complete' }).finally(() => settling--)
      }
    }
    while (settling > 0) await sleep(1)
    console.log(`    take 200 and complete each, answered: ${Math.round(n / ((performance.now() - t) / 1000))}/s`)
    await a.close()
  })

await probe('the broker freezes', async () => {
  const a = open()
  const ch = await fresh(a)
  await a.send({ name: ch.name }, body('m'))
  const r = await a.receive(ch, { prefetch: 1, hold: 60_000 })
  const d = await one(r)
  broker.freeze()
  console.log('    send', await timed(Promise.race([a.send({ name: ch.name }, body('n')), sleep(20_000).then(() => 'nothing')])))
  console.log('    settle', await timed(Promise.race([a.settle(d, { kind: 'complete' }), sleep(20_000).then(() => 'nothing')])))
  broker.thaw()
  console.log('    close', await timed(a.close()))
})

await probe('the broker is killed and comes back', async () => {
  const a = open()
  const ch = await fresh(a)
  await sleep(5_000)
  await a.send({ name: ch.name }, body('m'))
  const r = await a.receive(ch, { prefetch: 1, hold: 4_000 })
  const d = await one(r)
  await broker.kill()
  await sleep(300)
  console.log('    lost:', r.lost.aborted, 'hold lost:', d.hold.signal.aborted)
  console.log('    settle', await timed(a.settle(d, { kind: 'complete' })))
  console.log('    send', await timed(a.send({ name: ch.name }, body('n'))))
  await broker.restart()
  console.log('    back in', Math.round(broker.startedIn), 'ms; lost:', r.lost.aborted)
  const t = performance.now()
  for (let i = 0; i < 40; i++) {
    const again = r.lost.aborted ? await a.receive(ch, { prefetch: 1, hold: 4_000 }) : r
    const [back] = await again.take(1, 1_000)
    if (back) {
      console.log('   ', show(back), `after ${Math.round(performance.now() - t)} ms`)
      break
    }
  }
  console.log('    close', await timed(a.close()))
})
await broker.stop()
process.exit(0)
