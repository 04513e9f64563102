import rhea, { type EventContext } from 'rhea'
import { type OutLink, pathOf, sessionsOf } from './amqp-links.ts'
import type { Claims } from './cbs.ts'
import type { FaultDesk } from './faults.ts'
import { manage } from './management.ts'
import type { Namespace } from './namespace.ts'
import { ServiceError } from './service-error.ts'

const { types } = rhea

/** A token for `$cbs`. */
export function putToken(context: EventContext, claims: Claims): void {
  const { name } = (context.message?.application_properties ?? {}) as { name?: string }
  const good = claims.put(context.connection, name ?? '', String(context.message?.body))
  const status = good ? [202, 'Accepted'] : [401, 'InvalidSignature: The token has an invalid signature.']
  reply(context, { 'status-code': types.wrap_int(Number(status[0])), 'status-description': status[1] }, {})
}

/** A request to the `$management` node of an entity. */
export function request(context: EventContext, path: string, namespace: Namespace, faults: FaultDesk): void {
  const { operation } = (context.message?.application_properties ?? {}) as { operation?: string }
  try {
    faults.check('manage', path)
    const { status, body } = manage(operation ?? '', (context.message?.body ?? {}) as Readonly<Record<string, unknown>>, {
      namespace,
      path,
      faults,
    })
    reply(context, { statusCode: types.wrap_int(status), statusDescription: status === 204 ? 'No Content' : 'OK' }, body)
  } catch (error) {
    const { status, condition, message } =
      error instanceof ServiceError ? error : new ServiceError('amqp:internal-error', String(error), 500)
    const properties = {
      statusCode: types.wrap_int(status),
      statusDescription: message,
      errorCondition: types.wrap_symbol(condition),
    }
    reply(context, properties, {})
  }
}

function reply({ connection, message, receiver, session }: EventContext, properties: object, body: object): void {
  const to = message?.reply_to
  const isReply = (link: OutLink): boolean => to !== undefined && (link.name === to || link.target?.address === to)
  // Clients that name no link to answer by have one on the same node of the same session.
  const isBeside = (link: OutLink): boolean => pathOf(link.source?.address) === pathOf(receiver?.target?.address)
  const found =
    sessionsOf(connection)
      .map((each) => each.find_sender(isReply))
      .find(Boolean) ?? session?.find_sender(isBeside)
  const answer = { correlation_id: message?.message_id, application_properties: properties, body }
  const sent = (found as unknown as OutLink | undefined)?.send(answer)
  if (sent) sent.settled = true
}
