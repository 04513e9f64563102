import type { Finding, Topology, WantedChannel } from '../topology.ts'
import { askUntilFound } from './admin.ts'
import { queueFor } from './blueprint.ts'
import { compareQueue } from './compare-queue.ts'
import { inspectExchange } from './dead-letter-exchange.ts'
import { declareQueue } from './declare.ts'
import { findingAbout } from './finding.ts'
import { queueExists } from './inspect-queue.ts'
import { provideDelays } from './provide-delays.ts'
import { findQueue, lookAround, type Provisioning, type Scene } from './scene.ts'

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

async function createOrTell(scene: Scene, wanted: WantedChannel, mode: 'check' | 'apply'): Promise<Finding | undefined> {
  const { ask, terms } = scene
  const { name } = wanted.address
  const tell = findingAbout(wanted.address)
  if (await queueExists(ask, name)) return undefined
  if (mode === 'check') return tell('missing', 'channel-missing', 'does not exist; apply creates it.')
  await askUntilFound(ask)(`queue "${name}"`, (channel) => declareQueue(channel, queueFor(wanted, terms)))
  return tell('created', 'channel-created', `was created as a ${terms.queueType} queue.`)
}

async function compare(scene: Scene, wanted: WantedChannel): Promise<readonly Finding[]> {
  const { ask, management, terms, view } = scene
  const { effective, policies } = await findQueue(scene, wanted)
  const { 'x-dead-letter-exchange': exchange } = effective
  return compareQueue(wanted, effective, {
    queueType: terms.queueType,
    version: terms.version,
    graveExists: wanted.deadLetterTo === undefined || (await queueExists(ask, wanted.deadLetterTo.name)),
    exchange:
      typeof exchange === 'string' && exchange !== ''
        ? await inspectExchange(ask, management, view?.bindings ?? [], exchange)
        : undefined,
    policies,
  })
}

/** A check that cannot see something says so, and does not say that it is fine. */
function blindSpots({ view }: Scene, { channels }: Topology): readonly Finding[] {
  const [first] = channels
  if (view || !first) return []
  const message =
    'and the other queues may be under policies, and bindings may be missing: only the management API can tell. Give management.'
  return [findingAbout(first.address)('unknown', 'policies-unseen', message)]
}
