import type { Finding, Topology, WantedChannel } from '../topology.ts'
import type { Ask } from './admin.ts'
import { queueFor, type Terms } from './blueprint.ts'
import { compareQueue } from './compare-queue.ts'
import type { Link } from './connection.ts'
import { inspectExchange } from './dead-letter-exchange.ts'
import { declareQueue } from './declare.ts'
import { findingAbout } from './finding.ts'
import { inspectQueue, queueExists } from './inspect-queue.ts'
import type { ManagedBinding, Management } from './management.ts'
import type { Settings } from './options.ts'
import { overrides, type Policies, policiesFor, underPolicy } from './policies.ts'
import { provideDelays } from './provide-delays.ts'

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

/** First everything that is missing is created, then everything is compared: a grave may stand behind its work queue. */
export async function provision(world: Provisioning, wanted: Topology, mode: 'check' | 'apply'): Promise<readonly Finding[]> {
  const scene = await lookAround(world)
  const findings: Finding[] = []
  const existing: WantedChannel[] = []
  for (const channel of wanted.channels) {
    const found = await createOrTell(scene, channel, mode)
    if (found) findings.push(found)
    if (found?.severity !== 'missing') existing.push(channel)
  }
  for (const channel of existing) findings.push(...(await compare(scene, channel)))
  findings.push(...(await provideDelays(scene, existing, mode)))
  return mode === 'check' ? [...findings, ...blindSpots(scene, wanted)] : findings
}

async function lookAround(world: Provisioning): Promise<Scene> {
  const { management, link, settings } = world
  const { version } = await link.session()
  const terms: Terms = { queueType: settings.queueType, prefix: settings.prefix, version }
  if (!management) return { ...world, terms, view: undefined }
  const [bindings, policies] = await Promise.all([management.bindings(), management.policies()])
  return { ...world, terms, view: { bindings, policies } }
}

async function createOrTell(scene: Scene, wanted: WantedChannel, mode: 'check' | 'apply'): Promise<Finding | undefined> {
  const { ask, terms } = scene
  const { name } = wanted.address
  const tell = findingAbout(wanted.address)
  if (await queueExists(ask, name)) return undefined
  if (mode === 'check') return tell('missing', 'channel-missing', 'does not exist; apply creates it.')
  await ask(`queue "${name}"`, (channel) => declareQueue(channel, queueFor(wanted, terms)))
  return tell('created', 'channel-created', `was created as a ${terms.queueType} queue.`)
}

async function compare(scene: Scene, wanted: WantedChannel): Promise<readonly Finding[]> {
  const { ask, management, terms, view } = scene
  const { name } = wanted.address
  const found = await inspectQueue(ask, name, queueFor(wanted, terms).arguments)
  const policies = view && policiesFor({ name, type: String(found['x-queue-type'] ?? 'classic') }, view.policies)
  const effective = policies ? underPolicy(found, policies.definition) : found
  const { 'x-dead-letter-exchange': exchange } = effective
  return compareQueue(wanted, effective, {
    queueType: terms.queueType,
    version: terms.version,
    graveExists: wanted.deadLetterTo === undefined || (await queueExists(ask, wanted.deadLetterTo.name)),
    exchange:
      typeof exchange === 'string' && exchange !== ''
        ? await inspectExchange(ask, management, view?.bindings ?? [], exchange)
        : undefined,
    policies: policies && { ...policies, overrides: overrides(found, policies.definition) },
  })
}

/** A check that cannot see something says so, and does not say that it is fine. */
function blindSpots({ view }: Scene, { channels }: Topology): readonly Finding[] {
  const [first] = channels
  if (view || !first) return []
  const what =
    'and the other queues may be under policies, and bindings may be missing: only the management API can tell. Give management.'
  return [findingAbout(first.address)('unknown', 'policies-unseen', what)]
}
