import { type Diagnosis, diagnosisOf, type Patient } from '../tools.ts'
import { topicFacts } from './administration.ts'
import { createCluster } from './cluster.ts'
import { channelOf } from './names.ts'
import { type RocketmqOptions, resolveOptions } from './options.ts'
import { provision } from './provision.ts'
import { createRemoting } from './remoting.ts'

/** Asks the brokers about the topics and groups of these channels. It changes nothing. */
export async function examine(options: unknown, { wanted }: Patient): Promise<readonly Diagnosis[]> {
  const settings = resolveOptions((options ?? {}) as RocketmqOptions)
  const remoting = createRemoting(settings)
  const cluster = createCluster(remoting, settings)
  try {
    const found = (await provision({ cluster, settings, async untilKnown() {} }, wanted, 'check')).map(diagnosisOf)
    const [first = ''] = await cluster.masters()
    const fine: Diagnosis[] = []
    for (const { address } of wanted.channels) {
      const { topic, group } = channelOf(address, settings)
      const facts = await topicFacts(cluster, first, topic)
      if (facts === undefined || found.some(({ about }) => about === address.name)) continue
      const message = `${address.name} is there, with ${facts.queues} queues and the group ${group}.`
      fine.push({ severity: 'fine', about: address.name, what: 'topic', message })
    }
    return [...found, ...fine]
  } finally {
    remoting.close()
  }
}
