import type { ConsumerReport } from '../../core/consumer-report.ts'
import type { Platform } from '../platform.ts'
import type { ControlPlaneSettings } from './control-plane-options.ts'

/** The line to the control plane, for one report at a time. */
export interface Line {
  /** What it answered; nothing when it could not be reached, or said nothing within `ms`. Never rejects. */
  tell(report: ConsumerReport, ms: number): Promise<Answer | undefined>
  /** Waits no longer for the answer to what is being told. */
  hangUp(): void
}

export interface Answer {
  readonly status: number
  readonly json: unknown
}

export function createLine({ url, token }: ControlPlaneSettings, { clock, postJson }: Platform): Line {
  let current: AbortController | undefined

  return {
    async tell(report, ms) {
      const controller = new AbortController()
      const { signal } = controller
      current = controller
      const cancel = clock.after(ms, () => controller.abort())
      const silence = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
      try {
        return await Promise.race([postJson(url, { token, body: JSON.stringify(report), signal }), silence])
      } catch {
        return undefined
      } finally {
        cancel()
      }
    },
    hangUp: () => current?.abort(),
  }
}
