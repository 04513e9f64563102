import { resolveClassifyRules } from '../core/classify-rules.ts'
import { RedriveError } from '../core/errors.ts'
import type { Message } from '../core/message.ts'
import type { Policy } from '../core/policy.ts'
import { type PolicyOptions, resolvePolicy } from '../core/policy-options.ts'
import type { Delivery } from '../transports/seam.ts'
import type { ChannelSettings } from './channel-options.ts'
import { createDeadlines, type Deadlines, timeoutError } from './deadlines.ts'
import type { MessageDefinition } from './define-message.ts'
import { messageEvent } from './message-event.ts'
import { createRoute, createUnknownRoute, type Handler, type Middleware, type Route, type Terms } from './routes.ts'
import type { ChannelScope } from './scope.ts'
import type { HandlerNeeds } from './topology.ts'
import type { Turn } from './turn.ts'

/** A channel as users declare it: which handler takes which messages. */
export interface ChannelBuilder {
  /** `options` override the channel's policy for messages of this type. */
  on<T>(definition: MessageDefinition<T>, handler: Handler<T>, options?: PolicyOptions): ChannelBuilder
}

export interface Declared extends HandlerNeeds {
  readonly route: (terms: Terms, middleware: readonly Middleware[]) => Route
}

/** What was declared for one channel, before anything runs. */
export interface ChannelDeclaration {
  readonly settings: ChannelSettings
  readonly handlers: ReadonlyMap<string, Declared>
  readonly builder: ChannelBuilder
}

export function declareChannel(settings: ChannelSettings, assertOpen: () => void): ChannelDeclaration {
  const handlers = new Map<string, Declared>()
  const builder: ChannelBuilder = {
    on(definition, handler, options) {
      assertOpen()
      const where = `channel ${JSON.stringify(settings.name)}, type ${JSON.stringify(definition.type)}`
      if (typeof handler !== 'function') throw new RedriveError('bad-option', `${where}: the handler is no function`)
      if (handlers.has(definition.type)) throw new RedriveError('bad-option', `${where}: a handler is there already`)
      handlers.set(definition.type, {
        policy: resolvePolicy(options, where, settings.policy),
        isKeyed: definition.key !== undefined,
        route: (terms, middleware) => createRoute(definition, handler, terms, middleware),
      })
      return builder
    },
  }
  return { settings, handlers, builder }
}

export interface Routes {
  of(delivery: Delivery): Route
  close(): void
}

export function createRoutes(declaration: ChannelDeclaration, scope: ChannelScope, middleware: readonly Middleware[]): Routes {
  const { settings, handlers } = declaration
  const watched: Deadlines[] = []
  const routes = new Map<string, Route>()
  for (const [type, { policy, route }] of handlers) routes.set(type, route(terms(policy), middleware))
  const unknown = createUnknownRoute(terms(settings.policy), [...routes.keys()])
  const only = routes.size === 1 ? [...routes.values()][0] : undefined

  return {
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
    return { policy, rules: resolveClassifyRules(settings.classify, policy.onTimeout, where), deadlines: watch(policy) }
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
