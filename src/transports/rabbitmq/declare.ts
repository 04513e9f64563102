import type { Channel } from 'amqplib'
import type { BindingPart, Blueprint, ExchangePart, QueuePart } from './blueprint.ts'

/** Declaring what is there as it is changes nothing; what is there otherwise is refused by the broker, and stays as it is. */
export async function declare(channel: Channel, { exchanges, queues, bindings }: Blueprint): Promise<void> {
  for (const exchange of exchanges) await declareExchange(channel, exchange)
  for (const queue of queues) await declareQueue(channel, queue)
  for (const binding of bindings) await bind(channel, binding)
}

export async function declareExchange(channel: Channel, { name, type, alternate }: ExchangePart): Promise<void> {
  await channel.assertExchange(name, type, { durable: true, ...(alternate !== undefined && { alternateExchange: alternate }) })
}

export async function declareQueue(channel: Channel, { name, arguments: wanted }: QueuePart): Promise<void> {
  await channel.assertQueue(name, { durable: true, arguments: wanted })
}

async function bind(channel: Channel, { source, destination, to, routingKey }: BindingPart): Promise<void> {
  if (to === 'queue') await channel.bindQueue(destination, source, routingKey)
  else await channel.bindExchange(destination, source, routingKey)
}
