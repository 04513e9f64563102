import { resolveClassifyRules } from '../core/classify-rules.ts'
import { RedriveError } from '../core/errors.ts'
import type { Message } from '../core/message.ts'
import type { Policy } from '../core/policy.ts'
import { type PolicyOptions, resolvePolicy } from '../core/policy-options.ts'
import type { Delivery } from '../transports/seam.ts'
import type { BatchHandler } from './batch/batch-message.ts'
import { type BatchOptions, resolveBatch, roomForBatches } from './batch/batch-options.ts'
import { type Batches, createBatches } from './batch/batches.ts'
import type { ChannelSettings } from './channel-options.ts'
import { createDeadlines, type Deadlines, timeoutError } from './deadlines.ts'
import type { MessageDefinition } from './define-message.ts'
import { messageEvent } from './message-event.ts'
import {
  createBatchRoute,
  createRoute,
  createUnknownRoute,
  type Handler,
  type Middleware,
  type Route,
  type Terms,
} from './routes.ts'
import type { ChannelScope } from './scope.ts'
import type { HandlerNeeds } from './topology.ts'
import type { Turn } from './turn.ts'

/** A channel as users declare it: which handler takes which messages. */
export interface ChannelBuilder {
  /** `options` override the channel's policy for messages of this type. */
  on<T>(definition: MessageDefinition<T>, handler: Handler<T>, options?: PolicyOptions): ChannelBuilder
  /**
   * Several messages of this type at one time. The handler returns what became of each; what it does not mention has failed. What
   * it throws fails nobody: then each message is handled again, alone.
   */
  onBatch<T>(definition: MessageDefinition<T>, handler: BatchHandler<T>, options?: BatchOptions): ChannelBuilder
}

export interface Declared extends HandlerNeeds {
  readonly isBatch: boolean
  readonly route: (terms: Terms, middleware: readonly Middleware[], batches: Batches | undefined) => Route
}

/** What was declared for one channel, before anything runs. */
export interface ChannelDeclaration {
  readonly settings: ChannelSettings
  readonly handlers: ReadonlyMap<string, Declared>
  readonly builder: ChannelBuilder
}

export function declareChannel(options: ChannelSettings, assertOpen: () => void): ChannelDeclaration {
  const handlers = new Map<string, Declared>()
  let settings = options

  function refuseHandler({ type }: MessageDefinition, handler: unknown): string {
    assertOpen()
    const where = `channel ${JSON.stringify(settings.name)}, type ${JSON.stringify(type)}`
    if (typeof handler !== 'function') throw new RedriveError('bad-option', `${where}: the handler is no function`)
    if (handlers.has(type)) throw new RedriveError('bad-option', `${where}: a handler is there already`)
    return where
  }

  const builder: ChannelBuilder = {
    on(definition, handler, options) {
      const where = refuseHandler(definition as MessageDefinition, handler)
      handlers.set(definition.type, {
        policy: resolvePolicy(options, where, settings.policy),
        isKeyed: definition.key !== undefined,
        isBatch: false,
        route: (terms, middleware) => createRoute(definition, handler, terms, middleware),
      })
      return builder
    },
    onBatch(definition, handler, options) {
      const where = refuseHandler(definition as MessageDefinition, handler)
      const { size, wait, policy } = resolveBatch(options, where, settings)
      settings = roomForBatches(settings, size)
      const line = { type: definition.type, handler: handler as BatchHandler<unknown>, size, wait, timeout: policy.timeout }
      handlers.set(definition.type, {
        policy,
        isKeyed: definition.key !== undefined,
        isBatch: true,
        route: (terms, middleware, batches) => createBatchRoute(definition, (batches as Batches).line(line), terms, middleware),
      })
      return builder
    },
  }
  return {
    get settings() {
      return settings
    },
    handlers,
    builder,
  }
}

export interface Routes {
  of(delivery: Delivery): Route
  /** Only where the channel has a batch handler. */
  readonly batches: Batches | undefined
  close(): void
}

export function createRoutes(declaration: ChannelDeclaration, scope: ChannelScope, middleware: readonly Middleware[]): Routes {
  const { settings, handlers } = declaration
  const watched: Deadlines[] = []
  const routes = new Map<string, Route>()
  const batches = [...handlers.values()].some(({ isBatch }) => isBatch) ? createBatches(scope) : undefined
  for (const [type, { policy, route }] of handlers) routes.set(type, route(terms(policy), middleware, batches))
  const unknown = createUnknownRoute(terms(settings.policy), [...routes.keys()])
  const only = routes.size === 1 ? [...routes.values()][0] : undefined

  return {
    batches,
    of: ({ message }) => routes.get(typeOf(message) ?? '') ?? (message.type === undefined && only ? only : unknown),
    close() {
      for (const deadlines of watched) deadlines.close()
    },
  }

  /** Foreign messages carry no type of ours: the user's function finds it, and a channel with a single handler needs none. */
  function typeOf(message: Message): string | undefined {
    if (!settings.resolveType) return message.type
    try {
      return settings.resolveType(message)
    } catch {
      return message.type
    }
  }

  function terms(policy: Policy): Terms {
    const where = `channel ${JSON.stringify(settings.name)}: classify`
    const rules = resolveClassifyRules(settings.classify, policy.onTimeout, where)
    return { policy, rules, deadlines: watch(policy), fetchBody: scope.fetchBody }
  }

  function watch(policy: Policy): Deadlines {
    const deadlines = createDeadlines(scope.platform.clock, policy.timeout, (turn) => timeOut(turn, policy))
    watched.push(deadlines)
    return deadlines
  }

  function timeOut(turn: Turn, { timeout }: Policy): void {
    turn.timedOut = true
    turn.context?.abort(timeoutError(timeout))
    scope.events.emit('timed-out', { ...messageEvent(turn, scope), timeoutMs: timeout })
  }
}
