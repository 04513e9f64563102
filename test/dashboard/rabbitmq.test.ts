import { test } from 'vitest'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { createVhost } from '../brokers/rabbitmq.ts'
import { tcpProxy } from '../brokers/tcp-proxy.ts'
import { aShop } from './given.ts'
import { inChromium } from './in-chromium.ts'
import { recover } from './recovery-story.ts'
import { theNumberLooks } from './then.ts'
import { goTo } from './when.ts'

await onBrokers('rabbitmq', ['4.0'], (broker, version) => {
  inChromium((open) => {
    test(`on RabbitMQ ${version} a newcomer goes from the link to green, and a broker that goes away then is unknown and not 0`, async () => {
      const vhost = await createVhost(broker)
      const line = await tcpProxy(vhost.port)
      const url = vhost.url.replace(`:${vhost.port}`, `:${line.port}`)
      const ours = rabbitmq({ url, management: vhost.management })
      const shop = await aShop({ on: { theirs: rabbitmq({ url: vhost.url }), ours }, reports: true })
      const { page } = await recover(open, shop)
      await goTo(page, 'Sources')
      await line.close()
      await page.getByText('unknown since').waitFor()
      await theNumberLooks(page, 'warn')
    })
  })
})
