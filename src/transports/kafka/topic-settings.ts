import type { Clock } from '../../core/ports.ts'
import { answerTo, codes } from './answers.ts'
import type { Cluster } from './cluster.ts'

const topicResource = 2
const lookEvery = 60_000

/** The settings of topics as the cluster has them; those that this user may not read are missing. */
export async function topicSettings(
  cluster: Cluster,
  names: readonly string[],
  configurationKeys: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const { describeConfigsV4 } = await cluster.kafka
  const keys = [...configurationKeys]
  const resources = names.map((name) => ({ resourceType: topicResource, resourceName: name, configurationKeys: keys }) as const)
  const { code, response } = await answerTo(describeConfigsV4.api.async(await cluster.any('ask'), [...resources], false, false))
  // Rights to describe are not needed to consume: then nothing is said about the settings.
  if (code !== codes.none) return new Map()
  return new Map(
    response.results.map(({ resourceName, configs }) => [
      resourceName,
      Object.fromEntries(configs.map(({ name, value }) => [name, value ?? ''])),
    ]),
  )
}

/** How long a topic keeps a record, read or not; `undefined` for ever, or where nobody may know. Asked for once a minute. */
export function createRetention(cluster: () => Cluster, clock: Clock): (topic: string) => Promise<number | undefined> {
  const known = new Map<string, { readonly at: number; readonly keeps: Promise<number | undefined> }>()

  async function ask(topic: string): Promise<number | undefined> {
    const settings = (await topicSettings(cluster(), [topic], ['retention.ms', 'cleanup.policy'])).get(topic)
    const keeps = Number(settings?.['retention.ms'] ?? -1)
    return settings?.['cleanup.policy']?.includes('delete') && keeps >= 0 ? keeps : undefined
  }

  return (topic) => {
    const last = known.get(topic)
    if (last && clock.monotonic() - last.at < lookEvery) return last.keeps
    // A setting that cannot be read now is no reason not to count.
    const keeps = ask(topic).catch(() => undefined)
    known.set(topic, { at: clock.monotonic(), keeps })
    return keeps
  }
}
