import { randomBytes } from 'node:crypto'
import { hasCode } from '../../core/errors.ts'
import type { Sink } from '../../notifiers/sink.ts'
import type { Change, ControlPlane } from '../../ops/control-plane.ts'
import type { RunningControlPlane } from '../../ops/create-control-plane.ts'
import type { Duty } from '../../ops/several/duty.ts'
import { onlyInTerm } from '../../ops/several/only-in-term.ts'
import { shareSources } from '../../ops/several/share-sources.ts'
import { createSharedChanges } from '../../ops/several/shared-changes.ts'
import { notSent } from '../../outgoing/send-outcome.ts'
import { newUuid } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'
import { packageVersion } from '../../platform/package-version.ts'
import type { Joining, Membership, Term } from '../../vault/turns.ts'
import { type Material, type Parts, partsOf } from './parts.ts'

/** One of several control planes on a vault: it serves people, collects its share of the sources, and works when it is its turn. */
export interface TakingTurns extends Parts {
  /** What people use: it tells what happens on the vault, whoever does it. */
  readonly served: ControlPlane
  readonly duty: () => Promise<Duty>
  /** From now on it waits for its turn. */
  start(): Promise<void>
  leave(): Promise<void>
}

export interface TurnsOptions extends Material {
  readonly join: (joining: Joining) => Promise<Membership>
  /** What tells this one from all others, for people. */
  readonly name: string
  /** Another one works, or this one does. */
  readonly onDuty: (works: boolean) => void
  /** The same of a source. */
  readonly onCollecting: (source: string, collects: boolean) => void
}

export function takingTurns(options: TurnsOptions): TakingTurns {
  const { join, name, onDuty, onCollecting, onProblem } = options
  const { plane, notifiers } = partsOf(options, 'serves')
  const changes = createSharedChanges(newUuid(), async (text) => membership?.tell(text))
  const sharing = shareSources(options.sources, { clock: systemClock, draw: randomBytes, tell, onCollecting })
  let membership: Membership | undefined
  let working: RunningControlPlane | undefined

  /** Whoever works hears it, also when that is this one. */
  function tell(change: Change): void {
    changes.tell(change)
    working?.heard(change)
  }

  plane.onChange(tell)

  function heard(told: readonly Change[]): void {
    for (const change of told) working?.heard(change)
  }

  /** Everything that it sends is sent while it is certain that nobody else does. */
  async function work(term: Term): Promise<() => Promise<void>> {
    const parts = partsOf(inTerm(options, term), 'works')
    const silence = parts.plane.onChange(changes.tell)
    async function end(): Promise<void> {
      working = undefined
      // What fails because another one works is no news.
      silence()
      await Promise.all([parts.plane.close(), parts.notifiers.stop()])
      onDuty(false)
    }
    try {
      await parts.notifiers.start()
      await parts.plane.start()
    } catch (error) {
      await end()
      throw error
    }
    working = parts.plane
    // What the last one told, or would have told, may not have arrived.
    changes.tell({ kind: 'reset' })
    onDuty(true)
    return end
  }

  return {
    ...{ plane, notifiers },
    served: { ...plane, onChange: changes.onChange },
    async duty() {
      const [worker, collectors = new Map(), instances = []] = await Promise.all([
        membership?.worker(),
        membership?.shares(),
        membership?.present(),
      ])
      return {
        ...{ instance: name, works: membership?.works() ?? false, worker: worker ?? null, instances },
        sources: sharing.collectedBy(collectors),
      }
    },
    async start() {
      // What is missing is missed at start, and not when it is this one's turn.
      await Promise.all(options.sinks.map((sink) => sink.prepare?.()))
      membership = await join({
        ...{ name, work, sharing, release: packageVersion() },
        onNotice: (text) => heard(changes.heard(text)),
        onGap: changes.missed,
        onProblem: (error) => onProblem(hasCode(error, 'store-newer') ? error.message : notBegun),
      })
    },
    async leave() {
      await membership?.leave()
      changes.close()
    },
  }
}

const notBegun = 'It was this control plane’s turn to work, and it could not begin; it tries again.'

function inTerm(material: Material, { vault, isOurs }: Term): Material {
  const { sources, transportNamed, sinks } = material
  return {
    ...material,
    vault,
    sources: sources.map((source) => ({ ...source, transport: onlyInTerm(source.transport, isOurs) })),
    transportNamed(connection) {
      const transport = transportNamed(connection)
      return transport && onlyInTerm(transport, isOurs)
    },
    sinks: sinks.map((sink) => toldInTerm(sink, isOurs)),
  }
}

function toldInTerm(sink: Sink, isOurs: () => boolean): Sink {
  const later = notSent('Another control plane may work by now; nothing was sent', true)
  return { ...sink, send: async (...given) => (isOurs() ? sink.send(...given) : later) }
}
