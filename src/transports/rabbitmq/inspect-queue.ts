import { RedriveError } from '../../core/errors.ts'
import type { Ask } from './admin.ts'
import { isNotFound, isPreconditionFailed } from './amqp-errors.ts'
import type { QueueArguments } from './queue-arguments.ts'

/** Enough for every argument that RabbitMQ knows. */
const mostDifferences = 30
const difference = /inequivalent arg '([^']+)' for queue .*?: received (?:none|.*?) but current is (none|.*)$/s
const typedValue = /^the value '(.*)' of type '(\w+)'$/s

export async function queueExists(ask: Ask, name: string): Promise<boolean> {
  try {
    await ask(`queue "${name}"`, (channel) => channel.checkQueue(name))
    return true
  } catch (error) {
    if (error instanceof RedriveError && isNotFound(error.cause)) return false
    throw error
  }
}

/**
 * What an existing queue was declared with. AMQP has no question for that, but a declaration that differs is refused with the
 * name and the value of one argument; so we declare, learn, and declare again until the broker agrees. Nothing is changed by
 * that, since a queue that exists is never altered.
 */
export async function inspectQueue(ask: Ask, name: string, guess: QueueArguments): Promise<QueueArguments> {
  let known: QueueArguments = { durable: true, ...guess }
  for (let round = 0; round < mostDifferences; round++) {
    const { durable, exclusive = false, 'auto-delete': autoDelete = false, auto_delete = autoDelete, ...rest } = known
    const options = {
      durable: durable === true,
      exclusive: exclusive === true,
      autoDelete: auto_delete === true,
      arguments: rest,
    }
    const refusal = await ask(`queue "${name}"`, async (channel) => {
      // To declare a queue that does not exist would create it.
      await channel.checkQueue(name)
      await channel.assertQueue(name, options)
    }).catch((error: RedriveError) => error)
    if (refusal === undefined) return known
    // The broker does not compare what means nothing for the type of the queue, so a guess that was wrong is of no use.
    const { argument, value } = differenceIn(refusal, known)
    const { [argument]: _, ...others } = round === 0 ? { durable: true, 'x-queue-type': 'classic' } : known
    known = value === undefined ? others : { ...others, [argument]: value }
  }
  throw new RedriveError('unsupported', `The arguments of the queue "${name}" cannot be found out.`)
}

interface Difference {
  readonly argument: string
  /** What the queue has; nothing where it has no such argument. */
  readonly value: string | number | boolean | undefined
}

function differenceIn(refusal: RedriveError, declared: QueueArguments): Difference {
  const text = isPreconditionFailed(refusal.cause) ? (refusal.cause as Error).message.replace(/"$/, '') : ''
  const [, argument = '', current = ''] = difference.exec(text) ?? []
  if (argument === '') throw refusal
  return { argument, value: current === 'none' ? undefined : valueFrom(current, declared[argument]) }
}

/** `'50'` when both sides have a value, `the value '50' of type 'byte'` when only the queue has one. */
function valueFrom(current: string, before: string | number | boolean | undefined): string | number | boolean {
  const [, value, type] = typedValue.exec(current) ?? [undefined, current.replace(/^'|'$/g, ''), typeof before]
  if (type === 'longstr' || type === 'string') return value ?? ''
  if (type === 'bool' || type === 'boolean') return value === 'true'
  return Number(value)
}
