import { describe, expect, onTestFinished, test } from 'vitest'
import { openStub, type StubRequest } from '../alerts/stub.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { until } from '../until.ts'
import { fates, frozen } from './fates.ts'
import { die, openHouse, patience, standsBy, startTwo, whoWorks } from './instances.ts'

const groupOf = ({ json }: StubRequest): string => `${json.group.dedupKey} ${json.group.episode}`

await onBrokers('postgres', ['15'], (broker) => {
  describe('alerts of several control planes', { timeout: patience }, () => {
    test.each(fates)('are told once for each group, when the one that works %s while it tells', async (_, fate) => {
      const asked = Promise.withResolvers<void>()
      let isFirst = true
      const stub = await openStub((response) => {
        // The first one meets its fate before it is answered, and nobody heard of it.
        if (isFirst) asked.resolve()
        else response.writeHead(202).end()
        isFirst = false
      })
      onTestFinished(() => stub.close())
      const hook = `{ type: webhook, url: "${stub.url}", allowAddresses: [127.0.0.1], allowPorts: [${stub.port}] }`
      const house = await openHouse(broker, `notifiers:\n  hook: ${hook}\n`)
      const { worker, other } = await startTwo(house)
      await die(house, 0, 5)
      await asked.promise
      await fate.begin(worker)
      await whoWorks([other])
      const sent = () => house.vault.read('listDeliveries', { state: 'sent', limit: 10 })
      await until('it is told', async () => (await sent()).length > 0, patience)
      fate.end(worker)
      if (fate === frozen) {
        await standsBy(worker)
        await worker.stop()
      }
      const first = stub.requests.filter(({ json }) => json.reason === 'first')
      expect(new Set(first.map(({ json }) => json.id)).size).toBe(new Set(first.map(groupOf)).size)
      expect(first.flatMap(({ json }) => json.alerts.map(({ rule }: { rule: string }) => rule))).toContain('dlq.any')
    })
  })
})
