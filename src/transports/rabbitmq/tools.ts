import { RedriveError } from '../../core/errors.ts'
import type { Tools } from '../tools.ts'
import type { Topology } from '../topology.ts'
import { blueprintOf } from './blueprint.ts'
import { createLink } from './connection.ts'
import { definitions } from './definitions.ts'
import { examine } from './examine.ts'
import { type RabbitmqOptions, resolveOptions, type Settings } from './options.ts'
import { rabbitmq } from './rabbitmq.ts'
import { terraform } from './terraform.ts'

export const tools: Tools = {
  open: (options) => rabbitmq(options as RabbitmqOptions),
  examine,
  formats: ['definitions', 'terraform'],
  export: exportTopology,
}

/** Quorum queues are declared otherwise on version 4, so it has to be known which one it is for. */
async function exportTopology(options: unknown, wanted: Topology, format: string, version?: string): Promise<string> {
  const settings = resolveOptions(options as RabbitmqOptions)
  if (version !== undefined && !/^\d+\.\d+/.test(version))
    throw new RedriveError('bad-option', `broker-version is ${JSON.stringify(version)}. Allowed: a version such as 4.0 or 3.10.`)
  const { queueType, prefix, vhost } = settings
  const blueprint = blueprintOf(wanted, { queueType, prefix, version: version ?? (await askVersion(settings)) })
  return format === 'terraform' ? terraform(blueprint, vhost) : definitions(blueprint)
}

async function askVersion(settings: Settings): Promise<string> {
  const link = createLink(settings)
  try {
    return (await link.session()).version
  } finally {
    await link.close()
  }
}
