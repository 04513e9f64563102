import { postgres } from '../../src/transports/postgres/postgres.ts'
import { channels, type Library } from '../library.ts'
import { orderMessage } from '../payload.ts'
import { consumeWith } from '../redrive-library.ts'
import { withClient } from './bare.ts'
import { inPortions } from './in-portions.ts'

export const library: Library = {
  async fill({ url, prefix: schema, messages }) {
    const transport = postgres({ url, schema })
    const wanted = [
      { address: { name: channels.work }, role: 'work' },
      { address: { name: channels.deadLetters }, role: 'dead-letter' },
    ] as const
    await transport.provision({ channels: wanted }, 'apply')
    await inPortions(messages, (orders) =>
      Promise.all(orders.map((order) => transport.send({ name: channels.work }, orderMessage(order)))),
    )
    await transport.close()
  },

  letters: ({ url, prefix: schema }) =>
    withClient(url, async (client) => {
      const { rows } = await client.query(
        `SELECT c.name, count(*) AS messages
         FROM (SELECT channel FROM ${schema}.queue UNION ALL SELECT channel FROM ${schema}.leased) AS q
         JOIN ${schema}.channels c ON c.id = q.channel GROUP BY c.name`,
      )
      const messagesIn = (channel: string): number => Number(rows.find(({ name }) => name === channel)?.messages ?? 0)
      if (messagesIn(channels.work) > 0) throw new Error(`${messagesIn(channels.work)} messages are left.`)
      return messagesIn(channels.deadLetters)
    }),

  consume: ({ url, prefix: schema, work }, progress) => consumeWith(postgres({ url, schema }), work, progress),
}
