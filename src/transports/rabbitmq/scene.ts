import type { WantedChannel } from '../topology.ts'
import type { Ask } from './admin.ts'
import { queueFor, type Terms } from './blueprint.ts'
import type { Link } from './connection.ts'
import { inspectQueue } from './inspect-queue.ts'
import type { ManagedBinding, Management } from './management.ts'
import type { Settings } from './options.ts'
import { type InForce, overrides, type Policies, policiesFor, underPolicy } from './policies.ts'
import type { QueueArguments } from './queue-arguments.ts'

export interface Provisioning {
  readonly ask: Ask
  readonly management: Management | undefined
  readonly settings: Settings
  readonly link: Link
}

/** What is known of the broker while one topology is looked at. `view` is what only the management API sees. */
export interface Scene extends Provisioning {
  readonly terms: Terms
  readonly view: View | undefined
}

interface View {
  readonly bindings: readonly ManagedBinding[]
  readonly policies: Policies
}

export async function lookAround(world: Provisioning): Promise<Scene> {
  const { management, link, settings } = world
  const { version } = await link.session()
  const terms: Terms = { queueType: settings.queueType, prefix: settings.prefix, version }
  if (!management) return { ...world, terms, view: undefined }
  const [bindings, policies] = await Promise.all([management.bindings(), management.policies()])
  return { ...world, terms, view: { bindings, policies } }
}

export interface FoundQueue {
  /** What it was declared with, and what policies make of that. */
  readonly effective: QueueArguments
  readonly policies: (InForce & { readonly overrides: readonly string[] }) | undefined
}

/** A queue that exists, as it is in effect. */
export async function findQueue({ ask, terms, view }: Scene, wanted: WantedChannel): Promise<FoundQueue> {
  const { name } = wanted.address
  const declared = await inspectQueue(ask, name, queueFor(wanted, terms).arguments)
  if (!view) return { effective: declared, policies: undefined }
  const inForce = policiesFor({ name, type: String(declared['x-queue-type'] ?? 'classic') }, view.policies)
  return {
    effective: underPolicy(declared, inForce.definition),
    policies: { ...inForce, overrides: overrides(declared, inForce.definition) },
  }
}
