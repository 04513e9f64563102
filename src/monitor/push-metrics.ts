import type { Duration } from '../core/duration.ts'
import { objectWith } from '../core/option-checks.ts'
import { readOptions } from '../core/options.ts'
import { createOtlpPush, type OtlpHealth } from '../outgoing/otlp-push.ts'
import { readOwnOtlp } from '../outgoing/otlp-target.ts'
import type { Consumer } from '../runtime/consumer.ts'
import { aLogger } from '../runtime/consumer-options.ts'
import { jsonLogger, type Logger } from '../runtime/logger.ts'
import { systemPlatform } from '../runtime/platform.ts'

export interface PushMetricsOptions {
  /** Where the collector takes OTLP over HTTP, such as http://127.0.0.1:4318. Without a path it is `/v1/metrics`. */
  readonly url: string
  /** Such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** How often it is told. Default: 30 s. */
  readonly every?: Duration
  /** How long one request may take. Default: 10 s. */
  readonly timeout?: Duration
  /** What the counts are of: `service.name` and what stands beside it, such as `service.instance.id`. */
  readonly resource: Readonly<Record<string, string>>
  /** Anything with pino's methods; `false` for silence. By default JSON lines go to standard error. */
  readonly logger?: Logger | false
}

export interface MetricsPush extends AsyncDisposable {
  readonly health: OtlpHealth
  /** Tells the last counts, within `timeout`, and then no more. */
  stop(): Promise<void>
}

const aConsumer = objectWith<Pick<Consumer, 'metrics'>>(['metrics'], 'a consumer, as createConsumer gives it')

/** Tells a collector of OpenTelemetry what a consumer counts. A collector that is away costs the consumer nothing; it hears of everything later. */
export function pushMetrics(consumer: Pick<Consumer, 'metrics'>, options: PushMetricsOptions): MetricsPush {
  const { logger: wanted, ...target } = { ...options }
  const { metrics } = aConsumer(consumer, 'otlp: consumer')
  const { clock, writeLog } = systemPlatform()
  const logger = readOptions({ logger: wanted }, ['logger'], 'otlp').read('logger', aLogger, jsonLogger(writeLog, clock.now))
  const push = createOtlpPush({
    target: readOwnOtlp(target),
    collect: metrics,
    clock,
    since: clock.now(),
    onChange: ({ target: collector, problem }) =>
      problem === null
        ? logger.info({ collector }, 'Metrics arrive again')
        : logger.warn({ collector, problem }, 'Metrics do not arrive'),
  })
  push.start()

  async function stop(): Promise<void> {
    await push.push()
    await push.stop()
  }
  return {
    get health() {
      return push.health
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
