import type { ClassifyRules } from '../core/classify-rules.ts'
import { RedriveError } from '../core/errors.ts'
import type { Message } from '../core/message.ts'
import type { Policy } from '../core/policy.ts'
import type { Codec } from './codec.ts'
import type { Context, HandlerContext } from './context.ts'
import type { Deadlines } from './deadlines.ts'
import type { MessageDefinition } from './define-message.ts'
import { issuePaths } from './standard-schema.ts'
import type { Turn } from './turn.ts'

export type Handler<T> = (value: T, context: Context) => unknown
export type Middleware = (context: Context, next: () => Promise<unknown>) => unknown

/** What a run is held to. */
export type Terms = Pick<Route, 'policy' | 'rules' | 'deadlines'>

/** What happens to the messages of one type on one channel. */
export interface Route {
  readonly type: string
  readonly policy: Policy
  readonly rules: ClassifyRules
  readonly deadlines: Deadlines
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
  const { schema, key, codec } = definition
  const decode = (turn: Turn): unknown => {
    turn.decoded ??= { value: decodeBody(codec, turn.delivery.message) }
    return turn.decoded.value
  }
  const run = middleware.reduceRight<Handler<T>>(wrap, handler)
  return {
    type: definition.type,
    ...terms,
    keyOf: key && ((turn) => key(decode(turn) as T)),
    invoke(turn, context) {
      // A run may change the value it was given, so that the next one starts from the bytes again.
      const value = turn.runs === 1 && turn.decoded ? turn.decoded.value : decodeBody(codec, turn.delivery.message)
      if (!schema) return run(value as T, context)
      const result = schema['~standard'].validate(value)
      return result instanceof Promise ? result.then((late) => run(accepted(late), context)) : run(accepted(result), context)
    },
  }

  function accepted(result: Awaited<ReturnType<NonNullable<typeof schema>['~standard']['validate']>>): T {
    if (result.issues === undefined) return result.value
    const where = issuePaths(result.issues)
    throw new RedriveError('invalid-message', `the body is not a valid "${definition.type}": wrong at ${where}`)
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

function decodeBody(codec: Codec, message: Message): unknown {
  try {
    return codec.decode(message.body)
  } catch (cause) {
    throw new RedriveError('invalid-message', `the body does not decode as ${codec.contentType}`, { cause })
  }
}
