import type { Finding, WantedChannel } from '../topology.ts'
import { askUntilFound } from './admin.ts'
import { type BindingPart, type Blueprint, delaysFor } from './blueprint.ts'
import { declare } from './declare.ts'
import { findingAbout, type Tell } from './finding.ts'
import { inspectParts, type PartState } from './inspect-part.ts'
import { overrides, policiesFor } from './policies.ts'
import type { Scene } from './scene.ts'

/** Delay queues belong to all channels that retry with a delay; what is wrong with them is told about the first of these. */
export async function provideDelays(
  scene: Scene,
  channels: readonly WantedChannel[],
  mode: 'check' | 'apply',
): Promise<readonly Finding[]> {
  const wanted = delaysFor(channels, scene.terms)
  const [first] = channels.filter(({ maxRetryDelay = 0 }) => maxRetryDelay > 0)
  if (!first) return []
  const tell = findingAbout(first.address)
  const states = await inspectParts(scene.ask, wanted)
  const lacking = { parts: states.filter(({ state }) => state === 'missing'), bindings: unbound(scene, wanted) }
  const change = mode === 'apply' ? create(scene, tell, wanted, lacking) : told(tell, lacking)
  return [...(await change), ...states.flatMap((part) => difference(tell, part)), ...underPolicies(scene, wanted)]
}

interface Lacking {
  readonly parts: readonly PartState[]
  /** Nobody knows without the management API. */
  readonly bindings: readonly BindingPart[] | undefined
}

function unbound({ view }: Scene, { bindings }: Blueprint): readonly BindingPart[] | undefined {
  return (
    view &&
    bindings.filter(
      (wanted) =>
        !view.bindings.some(
          (found) =>
            found.source === wanted.source &&
            found.destination === wanted.destination &&
            found.destination_type === wanted.to &&
            found.routing_key === wanted.routingKey,
        ),
    )
  )
}

async function told(tell: Tell, { parts, bindings = [] }: Lacking): Promise<readonly Finding[]> {
  if (parts.length > 0) {
    const message = `cannot delay retries: ${listed(parts)} ${parts.length === 1 ? 'does' : 'do'} not exist; apply creates what is missing.`
    return [tell('missing', 'delay-missing', message)]
  }
  return bindings.map(({ source, destination }) =>
    tell(
      'missing',
      'delay-unbound',
      `cannot delay retries: ${destination} is not bound to the exchange ${source}; apply binds it.`,
    ),
  )
}

/**
 * Binding again changes nothing, but needs rights on both ends. So all of it is bound only where something was missing; else the
 * ways home, which no other check would find missing.
 */
async function create(scene: Scene, tell: Tell, wanted: Blueprint, { parts, bindings }: Lacking): Promise<readonly Finding[]> {
  const isMissing = (kind: PartState['kind'], name: string): boolean =>
    parts.some((part) => part.kind === kind && part.name === name)
  const waysHome = wanted.bindings.filter(({ to, source, destination }) => to === 'queue' && source !== destination)
  const missing: Blueprint = {
    exchanges: wanted.exchanges.filter(({ name }) => isMissing('exchange', name)),
    queues: wanted.queues.filter(({ name }) => isMissing('queue', name)),
    bindings: parts.length > 0 ? wanted.bindings : (bindings ?? waysHome),
  }
  await askUntilFound(scene.ask)('the delay queues', (channel) => declare(channel, missing))
  if (parts.length > 0) return [tell('created', 'delay-created', `can delay retries now: ${listed(parts)} were created.`)]
  return (bindings ?? []).map(({ source, destination }) =>
    tell('created', 'delay-bound', `can delay retries now: ${destination} was bound to the exchange ${source}.`),
  )
}

function difference(tell: Tell, { kind, name, state, difference: what }: PartState): readonly Finding[] {
  if (state === 'unseen') return [tell('unknown', 'delay-unseen', `uses the ${kind} ${name}, which this user may not compare.`)]
  if (state !== 'differs') return []
  const message = `cannot rely on delayed retries: the ${kind} ${name} exists with another ${what}. Delete it while it is empty, then apply.`
  return [tell('fatal', 'delay-differs', message)]
}

/** A policy for all queues is one for delay queues too, where it loses messages or cuts delays short. */
function underPolicies({ view }: Scene, { queues }: Blueprint): readonly Finding[] {
  if (!view) return []
  return queues.flatMap(({ name, arguments: declared }) => {
    const { definition, by } = policiesFor({ name, type: 'quorum' }, view.policies)
    // Nothing is ever delivered from a delay queue, and orphans are, to whoever looks at them: they alone say that they have no limit.
    const keys = overrides(declared, definition).filter((key) => key !== 'delivery-limit' || 'x-delivery-limit' in declared)
    if (keys.length === 0) return []
    const message = `is under the policy ${by}, which sets ${keys.join(', ')}: delayed messages may be lost or come too early. Exclude it.`
    return [findingAbout({ name })('fatal', 'policy-overrides', message)]
  })
}

function listed(parts: readonly PartState[]): string {
  const names = [...new Set(parts.map(({ name }) => name))]
  return names.length <= 4 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`
}
