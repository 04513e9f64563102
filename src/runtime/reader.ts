import { RedriveError } from '../core/errors.ts'
import type { Message } from '../core/message.ts'
import type { Codec } from './codec.ts'
import type { MessageDefinition } from './define-message.ts'
import { issuePaths, type ValidationResult } from './standard-schema.ts'
import type { Turn } from './turn.ts'

/** Makes values of one type from the bytes of messages. */
export interface Reader<T> {
  /** What orders a message that came without a key of its own. Throws where the body does not decode. */
  readonly keyOf: ((turn: Turn) => string) | undefined
  /** Decodes and validates; throws, or rejects, with `invalid-message`. */
  read(turn: Turn): T | Promise<T>
}

export function createReader<T>({ type, schema, key, codec }: MessageDefinition<T>): Reader<T> {
  return { keyOf: key && ((turn) => key(decodeOnce(turn) as T)), read }

  function decodeOnce(turn: Turn): unknown {
    turn.decoded ??= { value: decodeBody(codec, turn.delivery.message) }
    return turn.decoded.value
  }

  function read(turn: Turn): T | Promise<T> {
    const value = turn.decoded ? takeDecoded(turn) : decodeBody(codec, turn.delivery.message)
    if (!schema) return value as T
    const result = schema['~standard'].validate(value)
    return result instanceof Promise ? result.then(accepted) : accepted(result)
  }

  function accepted(result: ValidationResult<T>): T {
    if (result.issues === undefined) return result.value
    const where = issuePaths(result.issues)
    throw new RedriveError('invalid-message', `the body is not a valid "${type}": wrong at ${where}`)
  }
}

/** Given away once: a run may change the value it was given, so that the next one starts from the bytes again. */
function takeDecoded(turn: Turn): unknown {
  const value = turn.decoded?.value
  turn.decoded = undefined
  return value
}

function decodeBody(codec: Codec, message: Message): unknown {
  try {
    return codec.decode(message.body)
  } catch (cause) {
    throw new RedriveError('invalid-message', `the body does not decode as ${codec.contentType}`, { cause })
  }
}
