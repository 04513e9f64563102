import type { ConsumerReport } from '../../src/core/consumer-report.ts'
import type { PostJson } from '../../src/core/ports.ts'
import type { ControlPlane } from '../../src/ops/control-plane.ts'

/** A line to the control plane without a network, which can be cut. */
export function reportTo({ consumers }: Pick<ControlPlane, 'consumers'>, isCut: () => boolean = () => false): PostJson {
  return async (_, { body }) => {
    if (isCut()) throw new TypeError('fetch failed')
    return { status: 200, json: await consumers.report(JSON.parse(body) as ConsumerReport, [['*']]) }
  }
}
