import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import type { Config } from '../../config/config.ts'
import { isServerUrl } from '../../core/vault-place.ts'
import { createNotifiers, type Notifiers } from '../../notifiers/notifiers.ts'
import type { Sink } from '../../notifiers/sink.ts'
import { type ControlPlaneOptions, createControlPlane, type RunningControlPlane } from '../../ops/create-control-plane.ts'
import type { TransportNamed } from '../../ops/replay/send-letter.ts'
import type { ConfiguredSource } from '../../ops/sources.ts'
import { newUuid, systemRandom } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'
import { freeShareOf } from '../../platform/disk.ts'
import type { Vault } from '../../vault/vault.ts'
import { mayApprove } from './may-approve.ts'

/** What a control plane is made of, whichever part of its work it does. */
export interface Material {
  readonly config: Config
  readonly vault: Vault
  readonly sources: readonly ConfiguredSource[]
  readonly transportNamed: TransportNamed
  readonly sinks: readonly Sink[]
  /** Which of several control planes this is, as people are told. */
  readonly instance: string
  readonly onProblem: (problem: string) => void
}

export interface Parts {
  readonly plane: RunningControlPlane
  readonly notifiers: Notifiers
}

export function partsOf(material: Material, part?: ControlPlaneOptions['part']): Parts {
  const { config, vault, sources, transportNamed, sinks, instance, onProblem } = material
  const notifiers = createNotifiers({
    ...{ sinks, vault, clock: systemClock, random: systemRandom, newId: newUuid, instance },
    onProblem: (sink, problem) => onProblem(`${sink}: ${problem}`),
  })
  const rules = { rules: config.rules, windows: config.maintenance }
  const alerting = {
    ...rules,
    sinks: notifiers.sinks,
    onSaid: notifiers.wake,
    instance,
    timers: config.alerting.timers,
    random: systemRandom,
    ...(config.server.publicUrl !== undefined && { dashboard: config.server.publicUrl }),
  }
  const plane = createControlPlane({
    ...{ vault, clock: systemClock, newId: newUuid, draw: randomBytes, sources, transportNamed },
    retention: config.retention,
    // What is left on the disk of a server, it tells nobody who asks in SQL.
    ...(!isServerUrl(config.vault) && { diskFree: () => freeShareOf(dirname(config.vault)) }),
    triage: config.triage,
    ...(config.replays.needsSecondPersonAbove !== undefined && { mostAlone: config.replays.needsSecondPersonAbove }),
    mayApprove: (actor) => mayApprove(vault, actor),
    ...(part === 'serves' ? rules : { alerting }),
    ...(part && { part }),
  })
  return { plane, notifiers }
}
