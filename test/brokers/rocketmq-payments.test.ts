import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startProgram } from '../program.ts'
import { onBrokers } from './on-brokers.ts'
import { rocketmqVersions } from './rocketmq-subjects.ts'

await onBrokers('rocketmq', rocketmqVersions, (broker, version) => {
  describe(`the payments on RocketMQ ${version}`, { timeout: 360_000 }, () => {
    test('are all settled or dead, and the monitor consumes none of the dead', async () => {
      const args = ['--transport', 'rocketmq', '--url', broker.url, '--once', '--count', '20']
      const payments = startProgram(resolve('examples/02-payments/main.ts'), args)
      const code = await payments.exit
      const [, settled, dead] = /created 20, settled (\d+), dead-lettered (\d+), invalid 0, open 0/.exec(payments.output()) ?? []
      expect([code, Number(settled) + Number(dead)]).toEqual([0, 20])
      expect(payments.output()).toContain(`the dead-letter channel holds ${dead}; the monitor consumed none`)
    })
  })
})
