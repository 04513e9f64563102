import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import type { Vhost } from './rabbitmq.ts'

/** A work queue with its dead-letter queue, as we provide them, and so many jobs in it that a bare client sent. */
export async function filledQueue(vhost: Vhost, work: string, messages: number): Promise<void> {
  const transport = rabbitmq({ url: vhost.url })
  const dead = { name: `${work}.dead` }
  await transport.provision(
    {
      channels: [
        { address: dead, role: 'dead-letter' },
        { address: { name: work }, role: 'work', deadLetterTo: dead },
      ],
    },
    'apply',
  )
  await transport.close()
  const options = { persistent: true, type: 'job', contentType: 'application/json' }
  await vhost.barely(async (channel) => {
    for (let sent = 0; sent < messages; sent++) channel.sendToQueue(work, Buffer.from('{}'), options)
  })
}
