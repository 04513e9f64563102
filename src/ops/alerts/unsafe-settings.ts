import type { ConfiguredSource } from '../sources.ts'
import type { Report, Sampler } from './report.ts'

/**
 * How many settings on each connection could lose letters, in the words of the transport itself: it is asked to compare the dead-letter channels
 * with what they should be, and changes nothing. That a channel is not there at all is told by its probes.
 */
export function sampleSettings(sources: readonly ConfiguredSource[], stopped: AbortSignal): Sampler {
  const connections = [...Map.groupBy(sources, ({ connection }) => connection)]
  return async () => (await Promise.all(connections.map(([name, own]) => lookAt(name, own, stopped)))).flat()
}

/** One that cannot be asked says nothing, and what was known of it stands: that nobody can reach it is told by its probes. */
async function lookAt(source: string, own: readonly ConfiguredSource[], stopped: AbortSignal): Promise<readonly Report[]> {
  const [first] = own
  if (!first) return []
  const channels = own.map(({ address }) => ({ address, role: 'dead-letter' as const }))
  try {
    const findings = await Promise.race([first.transport.provision({ channels }, 'check'), whenStopped(stopped)])
    const unsafe = findings.filter(({ severity }) => severity === 'fatal' || severity === 'warning')
    return [{ subject: { source }, values: { unsafeSettings: unsafe.length } }]
  } catch {
    return []
  }
}

/** Whoever stops us does not wait for a broker that says nothing. */
function whenStopped(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}
