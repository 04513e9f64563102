import { hostname } from 'node:os'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/ports.ts'
import { everything, type Measuring, measurePlane } from '../../ops/metrics/measure-plane.ts'
import { planeMetrics } from '../../ops/metrics/plane-metrics.ts'
import { createOtlpPush, type OtlpHealth, type OtlpPush, type OtlpPushOptions } from '../../outgoing/otlp-push.ts'

export interface OtlpOptions extends Pick<OtlpPushOptions, 'collect'> {
  readonly clock: Clock
  readonly onProblem: (problem: string) => void
}

/** What tells the collector of a configuration, where it names one. */
export function otlpOf({ otlp }: Config, { collect, clock, onProblem }: OtlpOptions): OtlpPush | undefined {
  if (!otlp) return undefined
  const resource = { 'service.name': 'redrive', 'service.instance.id': hostname(), ...otlp.resource }
  return createOtlpPush({ target: { ...otlp, resource }, collect, clock, onChange: (health) => onProblem(textOf(health)) })
}

/** What `/metrics` shows to somebody who sees all sources: whoever wrote the configuration said that the collector may know it. */
export function everythingOf(measuring: Measuring): OtlpPushOptions['collect'] {
  return async () => planeMetrics(await measurePlane(measuring, everything))
}

function textOf({ target, problem }: OtlpHealth): string {
  return problem === null ? `otlp: ${target} is told again.` : `otlp: ${target} is not told what is counted. ${problem}.`
}
