import { type ErrorCode, RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import type { Clock } from '../../core/ports.ts'
import { nameOf } from '../leases/name-of.ts'
import type { Address, Settlement } from '../seam.ts'

type SettleStep = `settle.${Settlement['kind']}`

/**
 * The moments at which something can go wrong. At a plain step the broker has not done anything yet; `after-write` is after
 * it did and before it answered.
 */
export type FaultStep =
  | 'provision'
  | 'receive'
  | 'take'
  | 'extend'
  | SettleStep
  | `${SettleStep}.after-write`
  | 'send.before-write'
  | 'send.after-write'
  | 'browse'
  | 'remove'
  | 'measure'

export interface Occasion {
  readonly step: FaultStep
  readonly address?: Address
  readonly message?: Message
}

export type Fault =
  /** The call rejects with this code. */
  | { readonly fail: ErrorCode }
  /** The step takes this many milliseconds longer. */
  | { readonly delay: number }
  /** The connection breaks at this very moment; the call rejects with `unsure`, or `unreachable` where nothing was asked to be written. */
  | { readonly loseConnection: true }
  /** On `send.after-write` and `take`: the broker has the message once more. */
  | { readonly duplicate: true }
  /** On `take`: the batch comes in reverse. */
  | { readonly reorder: true }

/** A fault, or a function that looks at the occasion and gives one, or `undefined` to let it pass. */
export type FaultRule = Fault | ((occasion: Occasion) => Fault | undefined)

/** What can go wrong with the connections that were made with these faults. Costs nothing while nothing is armed. */
export interface Faults {
  /** Applies a rule at every such step, until the result is called. */
  on(step: FaultStep, rule: FaultRule): () => void
  /** Applies a rule the next time that it gives a fault, and never again. */
  once(step: FaultStep, rule: FaultRule): void
  /** Makes a channel refuse everything that would be written to it: full, or denied. The result makes it well again. */
  refuse(address: Address | string, code?: ErrorCode): () => void
  /** All holds are lost, receivers die, what was held comes back as suspect. The connection is up again at once. */
  loseConnection(): void
  /** Loses the connection and stays down: every verb rejects with `unreachable` until `up`. */
  down(): void
  up(): void
  /** Disarms everything. */
  clear(): void
}

/** What is left of the faults of one step after those that delay or fail it have had their way. */
interface Twist {
  readonly duplicate: boolean
  readonly reorder: boolean
}

/** The side of the faults that a connection sees. */
export interface ArmedFaults extends Faults {
  /** Whether anything could go wrong at all: the one thing that the fast path looks at. */
  readonly armed: boolean
  /** Ties a connection to these faults; the result unties it. */
  attach(connection: { lose(): void }): () => void
  pass(occasion: Occasion, clock: Clock): Promise<Twist>
  checkWritable(address: Address): void
}

export function createFaults(): ArmedFaults {
  const rules = new Map<FaultStep, Set<FaultRule>>()
  const refusals = new Map<string, ErrorCode>()
  const connections = new Set<{ lose(): void }>()
  let isDown = false

  const loseConnection = (): void => {
    for (const connection of connections) connection.lose()
  }

  function on(step: FaultStep, rule: FaultRule): () => void {
    const ofStep = rules.get(step) ?? new Set()
    rules.set(step, ofStep.add(rule))
    rearm()
    return () => {
      ofStep.delete(rule)
      if (ofStep.size === 0) rules.delete(step)
      rearm()
    }
  }

  function once(step: FaultStep, rule: FaultRule): void {
    const off = on(step, (occasion) => {
      const fault = faultOf(rule, occasion)
      if (fault !== undefined) off()
      return fault
    })
  }

  function refuse(address: Address | string, code: ErrorCode = 'refused'): () => void {
    const name = typeof address === 'string' ? address : nameOf(address)
    refusals.set(name, code)
    rearm()
    return () => {
      refusals.delete(name)
      rearm()
    }
  }

  async function pass(occasion: Occasion, clock: Clock): Promise<Twist> {
    refuseDown(occasion.step)
    const faults = [...(rules.get(occasion.step) ?? [])].flatMap((rule) => faultOf(rule, occasion) ?? [])
    for (const fault of faults) await strike(fault, occasion.step, clock)
    // It may have gone down while the step took its time.
    if (faults.length > 0) refuseDown(occasion.step)
    return { duplicate: faults.some((fault) => 'duplicate' in fault), reorder: faults.some((fault) => 'reorder' in fault) }
  }

  function refuseDown(step: FaultStep): void {
    if (isDown) throw new RedriveError(step.endsWith('after-write') ? 'unsure' : 'unreachable', 'The broker cannot be reached.')
  }

  async function strike(fault: Fault, step: FaultStep, clock: Clock): Promise<void> {
    if ('fail' in fault) throw new RedriveError(fault.fail, `A fault was injected at ${step}.`)
    if ('loseConnection' in fault) breakAt(step)
    if ('delay' in fault) await new Promise<void>((resolve) => clock.after(fault.delay, resolve))
  }

  function breakAt(step: FaultStep): never {
    loseConnection()
    const wrote = step.startsWith('send') || step.startsWith('settle')
    throw new RedriveError(wrote ? 'unsure' : 'unreachable', `The connection was lost at ${step}.`)
  }

  function rearm(): void {
    self.armed = isDown || rules.size > 0 || refusals.size > 0
  }

  const self = {
    armed: false,
    on,
    once,
    refuse,
    loseConnection,
    down() {
      isDown = true
      rearm()
      loseConnection()
    },
    up() {
      isDown = false
      rearm()
    },
    clear() {
      rules.clear()
      refusals.clear()
      isDown = false
      rearm()
    },
    attach(connection: { lose(): void }) {
      connections.add(connection)
      return () => void connections.delete(connection)
    },
    pass,
    checkWritable(address: Address) {
      const code = refusals.get(nameOf(address))
      if (code !== undefined) throw new RedriveError(code, `${nameOf(address)} was told to refuse.`)
    },
  }
  return self
}

function faultOf(rule: FaultRule, occasion: Occasion): Fault | undefined {
  return typeof rule === 'function' ? rule(occasion) : rule
}
