import { hasCode } from '../../core/errors.ts'
import type { HandlerContext } from '../context.ts'

/** Tells one call of a batch handler to stop. The signal is made when somebody asks for it. */
export interface BatchSignal {
  readonly signal: AbortSignal
  abort(reason: Error): void
}

export function createBatchSignal(contexts: readonly HandlerContext[]): BatchSignal {
  let controller: AbortController | undefined
  let aborted: unknown

  function abort(reason: unknown): void {
    aborted ??= reason
    controller?.abort(reason)
  }

  /** One message that is lost is no reason to stop the others; a shutdown is, and so is the loss of the last one. */
  function heed(): void {
    let ours = contexts.length
    for (const { signal } of contexts) {
      const heard = (): void => {
        ours--
        if (ours === 0 || !hasCode(signal.reason, 'hold-lost')) abort(signal.reason)
      }
      if (signal.aborted) heard()
      else signal.addEventListener('abort', heard, { once: true })
    }
  }

  return {
    get signal() {
      if (!controller) {
        controller = new AbortController()
        if (aborted === undefined) heed()
        else controller.abort(aborted)
      }
      return controller.signal
    },
    abort,
  }
}
