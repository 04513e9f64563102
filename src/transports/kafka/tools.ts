import { type Diagnosis, diagnosisOf, type Patient, type Tools } from '../tools.ts'
import type { Topology } from '../topology.ts'
import { topicsFor } from './blueprint.ts'
import { createCluster } from './cluster.ts'
import { kafka } from './kafka.ts'
import { type KafkaOptions, resolveOptions } from './options.ts'
import { provision } from './provision.ts'

export const tools: Tools = {
  open: (options) => kafka(options as KafkaOptions),
  examine,
  formats: ['commands'],
  export: async (options, wanted) => commands(options as KafkaOptions, wanted),
}

/** Asks the cluster how it does for these channels. It changes nothing. */
async function examine(options: unknown, { wanted }: Patient): Promise<readonly Diagnosis[]> {
  const settings = resolveOptions(options as KafkaOptions)
  const cluster = createCluster(settings)
  try {
    const diagnoses = (await provision(cluster, settings, wanted, 'check')).map(diagnosisOf)
    const healthy = topicsFor(wanted, settings).filter(({ address }) => diagnoses.every(({ about }) => about !== address.name))
    return [...diagnoses, ...healthy.map(({ name }) => fine(name))]
  } finally {
    await cluster.close()
  }
}

function fine(name: string): Diagnosis {
  return {
    severity: 'fine',
    about: name,
    what: 'topic',
    message: 'The topic is there, and nothing in its settings loses messages.',
  }
}

/** One command of Kafka's own tools for each topic. */
function commands(options: KafkaOptions, wanted: Topology): string {
  const settings = resolveOptions(options)
  const { partitions, replicationFactor } = settings
  return topicsFor(wanted, settings)
    .map(({ name, configs }) => {
      const sizes = [
        partitions > 0 && `--partitions ${partitions}`,
        replicationFactor > 0 && `--replication-factor ${replicationFactor}`,
      ]
      const set = Object.entries(configs).map(([key, value]) => `--config ${key}=${value}`)
      return [
        'kafka-topics.sh --bootstrap-server "$BOOTSTRAP" --create --if-not-exists --topic',
        name,
        ...sizes.filter(Boolean),
        ...set,
      ].join(' ')
    })
    .join('\n')
}
