import { isElsewhere } from '../core/body-reference.ts'
import { RedriveError } from '../core/errors.ts'
import type { FetchBody } from './claim-check.ts'
import type { Codec } from './codec.ts'
import type { MessageDefinition } from './define-message.ts'
import { issuePaths, type ValidationResult } from './standard-schema.ts'
import type { Turn } from './turn.ts'

/** Makes values of one type from the bytes of messages. */
export interface Reader<T> {
  /** What orders a message that came without a key of its own. Throws where the body does not decode. */
  readonly keyOf: ((turn: Turn) => string) | undefined
  /** Decodes and validates; throws, or rejects, with `invalid-message`, or with what is wrong with a stored body. */
  read(turn: Turn): T | Promise<T>
}

export function createReader<T>({ type, schema, key, codec }: MessageDefinition<T>, fetchBody: FetchBody): Reader<T> {
  return { keyOf: key && ((turn) => key(decodeOnce(turn) as T)), read }

  function decodeOnce(turn: Turn): unknown {
    const { message } = turn.delivery
    if (isElsewhere(message)) throw new RedriveError('invalid-message', 'the body is not here to be looked into')
    turn.decoded ??= { value: decodeBody(codec, message.body) }
    return turn.decoded.value
  }

  function read(turn: Turn): T | Promise<T> {
    const { message } = turn.delivery
    if (isElsewhere(message)) return readElsewhere(turn)
    return validated(turn.decoded ? takeDecoded(turn) : decodeBody(codec, message.body))
  }

  async function readElsewhere(turn: Turn): Promise<T> {
    const { message } = turn.delivery
    const body = await fetchBody(message)
    turn.forbidden = { ...message, body }
    return validated(decodeBody(codec, body))
  }

  function validated(value: unknown): T | Promise<T> {
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

function decodeBody(codec: Codec, body: Uint8Array | null): unknown {
  try {
    return codec.decode(body)
  } catch (cause) {
    throw new RedriveError('invalid-message', `the body does not decode as ${codec.contentType}`, { cause })
  }
}
