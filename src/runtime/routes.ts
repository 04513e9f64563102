import type { ClassifyRules } from '../core/classify-rules.ts'
import { RedriveError } from '../core/errors.ts'
import type { Policy } from '../core/policy.ts'
import type { Joining } from './batch/batches.ts'
import type { FetchBody } from './claim-check.ts'
import type { Context, HandlerContext } from './context.ts'
import type { Deadlines } from './deadlines.ts'
import type { MessageDefinition } from './define-message.ts'
import { createReader } from './reader.ts'
import type { Turn } from './turn.ts'

export type Handler<T> = (value: T, context: Context) => unknown
export type Middleware = (context: Context, next: () => Promise<unknown>) => unknown

/** What a run is held to. */
export type Terms = Pick<Route, 'policy' | 'rules' | 'deadlines' | 'fetchBody'>

/** What happens to the messages of one type on one channel. */
export interface Route {
  readonly type: string
  readonly policy: Policy
  readonly rules: ClassifyRules
  readonly deadlines: Deadlines
  readonly fetchBody: FetchBody
  /** What orders a message that came without a key of its own. Throws where the body does not decode. */
  readonly keyOf: ((turn: Turn) => string) | undefined
  /** Decodes, validates and runs the handler. Rejects with what the handler threw, or with `invalid-message`. */
  invoke(turn: Turn, context: HandlerContext): unknown
}

export function createRoute<T>(
  definition: MessageDefinition<T>,
  handler: Handler<T>,
  terms: Terms,
  middleware: readonly Middleware[],
): Route {
  const { keyOf, read } = createReader(definition, terms.fetchBody)
  const run = middleware.reduceRight<Handler<T>>(wrap, handler)
  return {
    type: definition.type,
    ...terms,
    keyOf,
    invoke(turn, context) {
      const value = read(turn)
      return value instanceof Promise ? value.then((late) => run(late, context)) : run(value, context)
    },
  }
}

/** Each message is decoded, validated and led through the middleware by itself before it joins a batch. */
export function createBatchRoute<T>(
  definition: MessageDefinition<T>,
  join: Joining,
  terms: Terms,
  middleware: readonly Middleware[],
): Route {
  const { keyOf, read } = createReader(definition, terms.fetchBody)
  return {
    type: definition.type,
    ...terms,
    keyOf,
    invoke(turn, context) {
      const joinBatch: Handler<T> = (value) => join(turn, context, value, () => read(turn))
      const run = middleware.reduceRight<Handler<T>>(wrap, joinBatch)
      const value = read(turn)
      return value instanceof Promise ? value.then((late) => run(late, context)) : run(value, context)
    },
  }
}

/** For messages of a type that nobody handles: they fail as `unknown-type` and never run. */
export function createUnknownRoute(terms: Terms, known: readonly string[]): Route {
  return {
    type: '(unknown)',
    ...terms,
    keyOf: undefined,
    invoke() {
      throw new RedriveError('unknown-type', `no handler for the type of this message; handled are: ${known.join(', ')}`)
    },
  }
}

function wrap<T>(inner: Handler<T>, middleware: Middleware): Handler<T> {
  return (value, context) => middleware(context, async () => inner(value, context))
}
