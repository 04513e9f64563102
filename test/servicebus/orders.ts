import type { Faults, Operation } from './faults.ts'
import type { Namespace } from './namespace.ts'
import { ServiceError } from './service-error.ts'

/** What a test may ask of a server that runs in another process. */
export type Order =
  | { readonly order: 'cut' }
  | { readonly order: 'detach' | 'heal' | 'end-locks' | 'locked'; readonly path: string }
  /** From now on, until it is healed. */
  | { readonly order: 'throttle' | 'refuse'; readonly path: string; readonly operation: Operation; readonly times?: number }
  | { readonly order: 'lose-answers'; readonly path: string; readonly times: number }

/** Tells what was asked for, where something was: tokens of locks, with sequence numbers. */
export type Orders = (order: Order) => readonly Lock[] | undefined
export type Lock = readonly [token: string, sequence: number]

/** Where the administration API takes them; no entity of a namespace can be called so. */
export const ordersPath = '$orders'

interface Ordered {
  readonly namespace: Namespace
  readonly faults: Faults
  cut(): void
  detach(path: string): void
}

export function createOrders({ namespace, faults, cut, detach }: Ordered): Orders {
  return (given) => {
    switch (given.order) {
      case 'cut':
        cut()
        return undefined
      case 'detach':
        detach(given.path)
        return undefined
      case 'heal':
        faults.heal(given.path)
        return undefined
      case 'end-locks':
        endLocks(namespace.store(given.path))
        return undefined
      case 'locked':
        return namespace.store(given.path).store.lockedNow()
      case 'throttle':
        faults.throttle(given.operation, given.path, given.times ?? Number.POSITIVE_INFINITY)
        return undefined
      case 'refuse':
        faults.reject(given.operation, given.path, full(), given.times ?? Number.POSITIVE_INFINITY)
        return undefined
      case 'lose-answers':
        faults.loseDisposition(given.path, given.times)
        return undefined
    }
  }
}

/** In sessions, locks of messages end with that of their session. */
function endLocks({ queue, store }: ReturnType<Namespace['store']>): void {
  if (queue.settings.requiresSession && !store.isGrave) queue.sessions.endAll()
  else store.unlockAll()
}

const full = (): ServiceError =>
  new ServiceError('amqp:resource-limit-exceeded', 'The maximum entity size has been reached or exceeded.', 403)

/** The same from outside. */
export async function giveOrder(adminEndpoint: string, order: Order): Promise<readonly Lock[]> {
  const response = await fetch(`${adminEndpoint}/${ordersPath}`, { method: 'POST', body: JSON.stringify(order) })
  if (!response.ok) throw new Error(`The test server did not take the order: ${response.status}.`)
  return ((await response.json()) as readonly Lock[] | null) ?? []
}
