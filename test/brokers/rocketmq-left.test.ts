import { describe, expect, onTestFinished, test } from 'vitest'
import { rocketmq } from '../../src/transports/rocketmq/rocketmq.ts'
import { next } from '../taken.ts'
import { until } from '../until.ts'
import { onBrokers } from './on-brokers.ts'
import { bareClient } from './rocketmq.ts'
import { leftFor } from './rocketmq-left.ts'
import { rocketmqVersions } from './rocketmq-subjects.ts'

/** Bounds what hangs, and not what is slow. Milliseconds. */
const patience = 240_000

await onBrokers('rocketmq', rocketmqVersions, (broker, version) => {
  describe(`the observer of RocketMQ ${version}`, { timeout: 3 * patience }, () => {
    test('sees what is held and what waits for its retry, where the lag of the group says that there is nothing', async () => {
      const group = `left-${process.pid}`
      const work = { name: `${group}-orders` }
      const transport = rocketmq({ url: broker.url, group, pollFor: '500ms' })
      onTestFinished(() => transport.close())
      await transport.provision({ channels: [{ address: work, role: 'work' }] }, 'apply')
      const observer = bareClient(broker.url)
      const left = await leftFor(observer, work.name, group)
      for (const id of ['a', 'b', 'c']) await transport.send(work, { id, body: Buffer.from(id), headers: [] })
      expect(await left()).toBe(3)

      const receiver = await transport.receive(work, { prefetch: 3, hold: 30_000 })
      const [done, again, held] = [await next(receiver), await next(receiver), await next(receiver)]
      await transport.settle(done, { kind: 'complete' })
      await transport.settle(again, { kind: 'retry', delay: 0 })
      await until('the lag sees nothing of it', async () => (await observer.lag(work.name, group)) === 0)
      expect(await left()).toBeGreaterThanOrEqual(2)
      await transport.settle(held, { kind: 'complete' })
      expect(await left()).toBeGreaterThanOrEqual(1)
      await transport.settle(await next(receiver), { kind: 'complete' })
      await until('nothing is left', async () => (await left()) === 0, patience)
    })
  })
})
