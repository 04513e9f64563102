import type { Duration } from '../../core/duration.ts'
import { durationWithin, flag, secret, text } from '../../core/option-checks.ts'
import { readInnerOptions } from '../../core/options.ts'
import { apiOf } from '../../core/server-url.ts'

/** A control plane that is told how the consumer is doing. The consumer works as well without it, and while it is away. */
export interface ControlPlaneOptions {
  /** Where it is, such as https://redrive.example. Without TLS only on this machine. */
  readonly url: string
  /** A token of the role `consumer`, which may report and nothing else. */
  readonly token: string
  /** How often it is told. */
  readonly every?: Duration
  /** Which of the processes of the service this is, the same after a restart. By default it is drawn anew for each process. */
  readonly instance?: string
  /** Whether it may pause and resume channels. */
  readonly mayPause?: boolean
}

export interface ControlPlaneSettings {
  /** Where reports go. */
  readonly url: string
  readonly token: string
  readonly every: number
  /** `undefined`: drawn. */
  readonly instance: string | undefined
  readonly mayPause: boolean
}

export function resolveControlPlane(value: unknown, where: string): ControlPlaneSettings {
  const given = readInnerOptions(value, ['url', 'token', 'every', 'instance', 'mayPause'], where)
  return {
    url: `${apiOf(given.required('url', text(2000)), given.where('url'))}/consumers/heartbeat`,
    token: given.required('token', secret(500)),
    every: given.read('every', durationWithin({ min: '1s', max: '5m' }), 5000),
    instance: given.has('instance') ? given.required('instance', text(200)) : undefined,
    mayPause: given.read('mayPause', flag, true),
  }
}
