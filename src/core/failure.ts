/** Why a delivery failed, as it may leave the process: everything in here has been sanitised. */
export interface Failure {
  readonly reason: Reason
  /** Human-readable and sanitised; never quotes the payload. */
  readonly description: string
  /** The error's class name, for grouping; `Error` when what was thrown had none. */
  readonly errorType: string
  readonly class: FailureClass
  /** Epoch milliseconds. */
  readonly at: number
  /** Turns this message had, the failed one included; 0 when it never reached the handler. */
  readonly attempts: number
  /** The broker's own number, as evidence. */
  readonly deliveries: number
  /** Only when the user switched stack traces on. */
  readonly stack?: string
}

/** The reasons that Redrive gives by itself. Handlers may give their own. */
export const builtInReasons = [
  'PoisonMessage',
  'NonRetryableError',
  'MaxDeliveryCountExceeded',
  'Unacceptable',
  'Expired',
] as const
export type BuiltInReason = (typeof builtInReasons)[number]
export type Reason = BuiltInReason | (string & {})

/**
 * What a failure is, before any policy looks at it.
 * `cancelled` is a shutdown or a lost hold: never a failure of the message, never counted.
 */
export type FailureClass = 'retryable' | 'permanent' | 'invalid' | 'cancelled'
