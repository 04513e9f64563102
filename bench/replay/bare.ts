import amqp, { type ConfirmChannel } from 'amqplib'
import { redriveHeaders } from '../../src/core/letter.ts'
import type { Contender } from '../measure.ts'
import { orderMessage } from '../payload.ts'
import { workQueue } from '../rabbitmq/queues.ts'
import { createTarget } from './target.ts'

/** What a careful engineer writes on amqplib: persistent, mandatory, confirmed, so many at a time; it remembers nothing. */
export function barePublisher(name: string, window: number): Contender {
  return {
    name,
    async prepare(messages) {
      const target = await createTarget()
      const connection = await amqp.connect(target.vhost.url, { noDelay: true })
      const channel = await connection.createConfirmChannel()
      return {
        async run(begin) {
          begin()
          await publishAll(channel, messages, window)
        },
        async cleanUp() {
          await connection.close()
          await target.remove(messages)
        },
      }
    },
  }
}

function publishAll(channel: ConfirmChannel, messages: number, window: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let [published, confirmed] = [0, 0]
    channel.on('return', () => reject(new Error('A message was returned.')))
    function fill(): void {
      while (published < messages && published - confirmed < window) publish(published++)
    }
    function publish(number: number): void {
      const { id, type, contentType, body } = orderMessage(number)
      const headers = {
        [redriveHeaders.letter]: `letter-${number}`,
        [redriveHeaders.generation]: '1',
        [redriveHeaders.replay]: '1',
      }
      const options = { persistent: true, mandatory: true, messageId: id, type, contentType, headers } as amqp.Options.Publish
      channel.publish('', workQueue, Buffer.from(body ?? []), options, (error) => {
        if (error) reject(error)
        else if (++confirmed === messages) resolve()
        else fill()
      })
    }
    fill()
  })
}
