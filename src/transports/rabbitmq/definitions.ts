import type { Blueprint } from './blueprint.ts'

/** RabbitMQ's own definitions, to be imported into one virtual host: `POST /api/definitions/{vhost}`, or `rabbitmqctl import_definitions`. */
export function definitions({ exchanges, queues, bindings }: Blueprint): string {
  const permanent = { durable: true, auto_delete: false }
  const document = {
    exchanges: exchanges.map(({ name, type, alternate }) => ({
      name,
      type,
      ...permanent,
      internal: false,
      arguments: alternate === undefined ? {} : { 'alternate-exchange': alternate },
    })),
    queues: queues.map(({ name, arguments: declared }) => ({ name, ...permanent, arguments: declared })),
    bindings: bindings.map(({ source, destination, to, routingKey }) => ({
      source,
      destination,
      destination_type: to,
      routing_key: routingKey,
      arguments: {},
    })),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
