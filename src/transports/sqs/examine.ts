import { type Diagnosis, diagnosisOf, type Patient } from '../tools.ts'
import { createApi } from './api.ts'
import { queueNameOf } from './names.ts'
import { resolveOptions, type SqsOptions } from './options.ts'
import { provision } from './provision.ts'
import { factsOf } from './queue-facts.ts'

/** Asks the server about the queues of these channels. It changes nothing. */
export async function examine(options: unknown, { wanted }: Patient): Promise<readonly Diagnosis[]> {
  const settings = resolveOptions((options ?? {}) as SqsOptions)
  const api = createApi(settings)
  try {
    const found = (await provision(api, settings, wanted, 'check')).map(diagnosisOf)
    const fine: Diagnosis[] = []
    for (const { address } of wanted.channels) {
      const facts = await factsOf(api, queueNameOf(address, settings))
      if (facts === undefined || found.some(({ about }) => about === address.name)) continue
      const days =
        facts.retention === undefined ? '' : `, and keeps messages for ${Math.round(facts.retention / 86_400_000)} days`
      fine.push({ severity: 'fine', about: address.name, what: 'queue', message: `${address.name} is there${days}.` })
    }
    return [...found, ...fine]
  } finally {
    await api.close()
  }
}
