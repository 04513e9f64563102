import { onTestFinished, test } from 'vitest'
import { servicebus } from '../../src/transports/servicebus/servicebus.ts'
import { recoverOrders } from '../control/recovery-story.ts'
import { startServer } from '../servicebus/server.ts'

test('publish, fail, letter, trace, edit, replay, processed: on Service Bus', { timeout: 360_000 }, async () => {
  const server = await startServer()
  const { connectionString, adminEndpoint } = server
  const [theirs, ours] = [servicebus({ connectionString, adminEndpoint }), servicebus({ connectionString, adminEndpoint })]
  onTestFinished(async () => {
    await theirs.close()
    await ours.close()
    await server.stop()
  })
  await recoverOrders({ theirs, ours, channel: 'order.placed' })
})
