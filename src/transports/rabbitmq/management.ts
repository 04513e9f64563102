import { RedriveError } from '../../core/errors.ts'
import type { ManagementOptions, Settings } from './options.ts'
import type { BrokerPolicy, Policies } from './policies.ts'
import type { QueueArguments } from './queue-arguments.ts'

/** What the management API knows and AMQP does not tell. Its counts lag by seconds; its definitions do not. */
export interface Management {
  queue(name: string): Promise<ManagedQueue>
  exchange(name: string): Promise<ManagedExchange>
  bindings(): Promise<readonly ManagedBinding[]>
  policies(): Promise<Policies>
  /** The names of all queues of the virtual host. */
  queueNames(): Promise<readonly string[]>
  /** What the user of this API may do beyond its virtual hosts. */
  tags(): Promise<readonly string[]>
  /** What the broker is short of, such as `memory` and `disk`; while it is, it takes no messages. */
  alarms(): Promise<readonly string[]>
}

export interface ManagedQueue {
  /** Ready and unacknowledged together. */
  readonly messages?: number
  readonly arguments?: QueueArguments
  /** Of the policy that applies to it; some seconds late. */
  readonly effective_policy_definition?: Readonly<Record<string, unknown>>
}

export interface ManagedExchange {
  readonly type: string
  readonly durable: boolean
  readonly arguments: QueueArguments
  /** The name of the policy that applies to it. */
  readonly policy?: string
}

export interface ManagedBinding {
  readonly source: string
  readonly destination: string
  readonly destination_type: string
  readonly routing_key: string
}

export function createManagement(options: ManagementOptions, { vhost, answerWithin }: Settings): Management {
  const credentials = Buffer.from(`${options.user}:${options.password}`).toString('base64')
  // A connection that is kept for the next question may be closed by the broker just when that is asked.
  const headers = { authorization: `Basic ${credentials}`, connection: 'close' }

  async function get<T>(path: string, about: string): Promise<T> {
    const response = await request(`${options.url}/api/${path}`)
    if (response.ok) return (await response.json()) as T
    await response.body?.cancel()
    throw refusal(response.status, about)
  }

  async function request(url: string): Promise<Response> {
    try {
      return await fetch(url, { headers, signal: AbortSignal.timeout(answerWithin) })
    } catch (cause) {
      throw new RedriveError('unreachable', 'The management API of RabbitMQ cannot be reached.', { cause })
    }
  }

  const here = encodeURIComponent(vhost)
  return {
    queue: (name) => get(`queues/${here}/${encodeURIComponent(name)}`, `queue "${name}"`),
    exchange: (name) => get(`exchanges/${here}/${encodeURIComponent(name)}`, `exchange "${name}"`),
    bindings: () => get(`bindings/${here}`, `virtual host "${vhost}"`),
    async policies() {
      const [user, operator] = await Promise.all([
        get<BrokerPolicy[]>(`policies/${here}`, `virtual host "${vhost}"`),
        get<BrokerPolicy[]>(`operator-policies/${here}`, `virtual host "${vhost}"`),
      ])
      return { user, operator }
    },
    async queueNames() {
      const queues = await get<{ name: string }[]>(`queues/${here}?disable_stats=true`, `virtual host "${vhost}"`)
      return queues.map(({ name }) => name)
    },
    async tags() {
      // Version 3.8 and before gave one text with commas.
      const { tags } = await get<{ tags: string | readonly string[] }>('whoami', 'user')
      return typeof tags === 'string' ? tags.split(',').filter(Boolean) : tags
    },
    async alarms() {
      const response = await request(`${options.url}/api/health/checks/alarms`)
      if (response.status !== 503 && !response.ok) throw refusal(response.status, 'health check of alarms')
      const { alarms = [] } = (await response.json()) as { alarms?: readonly { resource: string }[] }
      return [...new Set(alarms.map(({ resource }) => resource))]
    },
  }
}

function refusal(status: number, about: string): RedriveError {
  if (status === 404) return new RedriveError('unknown-channel', `There is no ${about} on the broker.`)
  if (status === 401 || status === 403)
    return new RedriveError('access-denied', 'The management API refused the user or its rights.')
  return new RedriveError('unreachable', `The management API answered with status ${status}.`)
}
