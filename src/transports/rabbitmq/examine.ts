import { hasCode } from '../../core/errors.ts'
import { type Diagnosis, diagnosisOf, type Patient, type PatientChannel } from '../tools.ts'
import type { Finding } from '../topology.ts'
import { createAsk } from './admin.ts'
import { createLink } from './connection.ts'
import { inspectExchange } from './dead-letter-exchange.ts'
import {
  alarms,
  autoNamed,
  blind,
  consumerTimeout,
  consumerTimeoutUnseen,
  defaultUser,
  managementTags,
  nativeDeadLettering,
  rights,
  ttlWithHold,
  version,
  withoutAlternate,
} from './diagnoses.ts'
import { queueExists } from './inspect-queue.ts'
import { createManagement, type Management } from './management.ts'
import { type RabbitmqOptions, resolveOptions, type Settings } from './options.ts'
import { probeRights } from './probe-rights.ts'
import { provision } from './provision.ts'
import type { QueueArguments } from './queue-arguments.ts'
import { findQueue, lookAround, type Provisioning, type Scene } from './scene.ts'

/** Asks a broker how it does for these channels. What it cannot ask it lists as unknown; it changes nothing. */
export async function examine(options: unknown, patient: Patient): Promise<readonly Diagnosis[]> {
  const settings = resolveOptions(options as RabbitmqOptions)
  const link = createLink(settings)
  try {
    const [management, unseen] = await openManagement(settings)
    const world: Provisioning = { ask: createAsk(link, settings), management, settings, link }
    const scene = await lookAround(world)
    return [
      version(scene.terms.version),
      ...unseen,
      ...(management ? [...alarms(await management.alarms()), ...autoNamed(await management.queueNames())] : []),
      ...topology(patient, await provision(world, patient.wanted, 'check')),
      ...(await examineChannels(scene, patient)),
      ...(await examineRights(world)),
    ]
  } finally {
    await link.close()
  }
}

async function examineRights({ ask, management, settings }: Provisioning): Promise<readonly Diagnosis[]> {
  const drawn = `no-such-thing-${settings.random().toString(36).slice(2)}`
  return [
    ...defaultUser(settings.hosts.map(({ username = '' }) => username)),
    rights(await probeRights(ask, drawn)),
    ...(management ? managementTags(await management.tags()) : []),
  ]
}

/** The management API when it answers; else what it would have told. */
async function openManagement(settings: Settings): Promise<readonly [Management | undefined, readonly Diagnosis[]]> {
  if (!settings.management) return [undefined, blind('is not given: give management with its url, user and password.')]
  const management = createManagement(settings.management, settings)
  try {
    await management.policies()
    return [management, []]
  } catch (error) {
    if (hasCode(error, 'unreachable'))
      return [undefined, blind('cannot be reached: check its url, and that the plugin is enabled.')]
    if (hasCode(error, 'access-denied')) return [undefined, blind('refuses the user: it needs the tag "management".')]
    throw error
  }
}

function topology({ wanted }: Patient, findings: readonly Finding[]): readonly Diagnosis[] {
  const told = findings.filter(({ what }) => what !== 'policies-unseen')
  const clean = wanted.channels.filter(({ address }) => told.every((finding) => finding.address.name !== address.name))
  return [
    ...told.map(diagnosisOf),
    ...clean.map(({ address: { name } }) => ({
      severity: 'fine' as const,
      about: name,
      what: 'topology',
      message: `${name} is as it should be.`,
    })),
  ]
}

async function examineChannels(scene: Scene, { channels }: Patient): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = []
  for (const channel of channels) {
    if (!(await queueExists(scene.ask, channel.wanted.address.name))) continue
    const { effective } = await findQueue(scene, channel.wanted)
    found.push(
      ...nativeDeadLettering(channel, effective),
      ...ttlWithHold(channel, effective),
      ...consumerTimeout(channel, effective, scene.settings.consumerTimeout),
      ...(await deadLetterExchange(scene, channel, effective)),
    )
  }
  return [...found, consumerTimeoutUnseen(scene.settings.consumerTimeout)]
}

async function deadLetterExchange(
  { ask, management, view }: Scene,
  channel: PatientChannel,
  { 'x-dead-letter-exchange': exchange }: QueueArguments,
): Promise<readonly Diagnosis[]> {
  if (typeof exchange !== 'string' || exchange === '') return []
  const { seen } = await inspectExchange(ask, management, view?.bindings ?? [], exchange)
  return seen ? withoutAlternate(channel, exchange, seen.alternate) : []
}
