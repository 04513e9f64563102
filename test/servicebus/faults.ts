import { ServiceError } from './service-error.ts'

/** `dead-letter` is one of the settlements, by a link or by request. */
export type Operation = 'send' | 'settle' | 'dead-letter' | 'manage' | 'attach'

/** What goes wrong next, as tests ask for it. */
export interface Faults {
  /** The next `times` operations of this kind on this path fail so; others are not harmed. */
  reject(operation: Operation, path: string, error: ServiceError, times?: number): void
  /** As the service does that has too much to do. */
  throttle(operation: Operation, path: string, times?: number): void
  /** The next `times` dispositions are done and not answered. */
  loseDisposition(path: string, times?: number): void
  /** Nothing more goes wrong at this path. */
  heal(path: string): void
}

/** The same, as the server asks. */
export interface FaultDesk extends Faults {
  check(operation: Operation, path: string): void
  losesDisposition(path: string): boolean
}

export function faultDesk(): FaultDesk {
  let errors: { operation: Operation; path: string; error: ServiceError; left: number }[] = []
  const lost = new Map<string, number>()

  function reject(operation: Operation, path: string, error: ServiceError, times = 1): void {
    errors.push({ operation, path: path.toLowerCase(), error, left: times })
  }

  return {
    reject,
    throttle(operation, path, times) {
      const busy = 'The request was terminated because the namespace is being throttled. Error code : 50009.'
      reject(operation, path, new ServiceError('com.microsoft:server-busy', busy, 503), times)
    },
    loseDisposition(path, times = 1) {
      lost.set(path.toLowerCase(), times)
    },
    heal(path) {
      errors = errors.filter((each) => each.path !== path.toLowerCase())
      lost.delete(path.toLowerCase())
    },
    check(operation, path) {
      const fault = errors.find((each) => each.operation === operation && each.path === path.toLowerCase() && each.left > 0)
      if (!fault) return
      fault.left--
      throw fault.error
    },
    losesDisposition(path) {
      const left = lost.get(path.toLowerCase()) ?? 0
      lost.set(path.toLowerCase(), Math.max(0, left - 1))
      return left > 0
    },
  }
}
