import { header, isList, isTable } from './headers.ts'
import type { HeaderTable, HeaderValue, Message } from './message.ts'

/** How a message was published, where a broker routes by itself: RabbitMQ's exchange, empty for the default one, and the key. */
export interface Route {
  readonly exchange: string
  readonly routingKey: string
}

/** Under these names a copy carries how the message was first published, because a copy is published otherwise. */
export const carriedRoute = { exchange: 'redrive-exchange', routingKey: 'redrive-routing-key' } as const

/**
 * How the message of a dead letter was first published, as far as the letter tells: by what a copy of ours carries, by the headers of Spring
 * AMQP and rascal, or by the broker's own record of its first death. By several keys at once, it is the first of them.
 */
export function firstRoute({ headers, native }: Message): Route | undefined {
  const told = (name: string): HeaderValue => header(headers, name) ?? null
  const rascal = told('rascal')
  return (
    routeFrom(native?.properties[carriedRoute.exchange], native?.properties[carriedRoute.routingKey]) ??
    routeFrom(told('x-original-exchange'), told('x-original-routingKey')) ??
    (isTable(rascal) ? routeFrom(rascal['originalExchange'], rascal['originalRoutingKey']) : undefined) ??
    routeOfFirstDeath(told('x-death'), told('x-first-death-queue'), told('x-first-death-reason'))
  )
}

/** The same message, which from now on carries this route and no longer says how its letter was published. */
export function carrying(message: Message, route: Route | undefined): Message {
  if (!message.native) return message
  const { transport, properties } = message.native
  const { exchange: _, routingKey: __, ...rest } = properties
  const carried = route && { [carriedRoute.exchange]: route.exchange, [carriedRoute.routingKey]: route.routingKey }
  return { ...message, native: { transport, properties: { ...rest, ...carried } } }
}

/** Deaths stand the newest first, and each keeps how the message was published when it first died so. */
function routeOfFirstDeath(deaths: HeaderValue, queue: HeaderValue, reason: HeaderValue): Route | undefined {
  const tables = isList(deaths) ? deaths.filter(isTable) : []
  const first = tables.find((death) => death['queue'] === queue && death['reason'] === reason) ?? tables.at(-1)
  return first && routeFrom(first['exchange'], firstKey(first))
}

function firstKey({ 'routing-keys': keys = null }: HeaderTable): unknown {
  return isList(keys) ? keys[0] : undefined
}

function routeFrom(exchange: unknown, routingKey: unknown): Route | undefined {
  return typeof exchange === 'string' && typeof routingKey === 'string' ? { exchange, routingKey } : undefined
}
