import { present } from '../../core/present.ts'
import type { TransportNamed } from '../replay/send-letter.ts'
import type { ConfiguredSource } from '../sources.ts'
import { createProber, type Prober, type ProberOptions } from './prober.ts'

/** Nobody needs to know more often what waits: rules about it ask for minutes. */
const atMostEvery = 10_000
const usualEvery = 60_000

/** The channels that letters came from, as far as the configuration names them: each once, to be looked at like a source. */
export function originsOf(sources: readonly ConfiguredSource[], transportNamed: TransportNamed): readonly ConfiguredSource[] {
  const origins = sources.flatMap(({ returnTo, probeEvery = usualEvery }): readonly ConfiguredSource[] => {
    const transport = returnTo && transportNamed(returnTo.connection)
    if (!returnTo || !transport) return []
    const { connection, channel: name, group } = returnTo
    const address = { name, ...present({ group }) }
    return [{ connection, transport, address, mode: 'watch', probeEvery: Math.max(probeEvery, atMostEvery) }]
  })
  const named = new Map(origins.map((origin) => [JSON.stringify([origin.connection, origin.address]), origin]))
  return [...named.values()]
}

/**
 * Looks at how much waits in each of them, and whether somebody takes it. A look that fails says nothing here: that a broker is away is told by its
 * dead-letter queues, and what is not seen changes no alert.
 */
export function watchOrigins(
  origins: readonly ConfiguredSource[],
  { clock, random, report, onProblem }: Pick<ProberOptions, 'clock' | 'random' | 'report' | 'onProblem'>,
): Prober {
  return createProber({
    ...{ sources: origins, clock, random, onProblem },
    inVault: async (_, { pending, consumers }) => ({ values: { lag: pending, ...present({ consumers }) } }),
    report: (reports) => report(reports.filter(({ values }) => values?.lag !== undefined)),
  })
}
