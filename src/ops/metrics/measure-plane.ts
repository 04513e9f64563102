import type { Vault } from '../../vault/vault.ts'
import type { ControlPlane, SourceStatus } from '../control-plane.ts'
import type { Duty } from '../several/duty.ts'
import type { Measured, Outbox } from './plane-metrics.ts'

export interface Measuring {
  readonly controlPlane: Pick<ControlPlane, 'sources' | 'alerts'>
  readonly vault: Pick<Vault, 'read'>
  /** Without it, it works. */
  readonly duty?: () => Promise<Pick<Duty, 'works' | 'instance' | 'sources'>>
  readonly notifiers: { list(): Promise<readonly Outbox[]> } | undefined
}

/** Whose eyes it is measured with. */
export interface Viewer {
  sees(source: SourceStatus['source']): boolean
  readonly seesAll: boolean
}

/** For whoever has the configuration. */
export const everything: Viewer = { sees: () => true, seesAll: true }

const mostAlerts = 1000

/** Read when somebody asks, so that nothing of it lives longer than an answer, and whoever may not see a source is told nothing of it. */
export async function measurePlane({ controlPlane, vault, notifiers, duty }: Measuring, viewer: Viewer): Promise<Measured> {
  const sources = (await controlPlane.sources()).filter(({ source }) => viewer.sees(source))
  if (!viewer.seesAll) return { sources, replayed: [], notifiers: [], alerts: [] }
  return {
    sources,
    ...(duty && dutyIn(await duty())),
    replayed: await vault.read('countReplayed', undefined),
    notifiers: (await notifiers?.list()) ?? [],
    alerts: await controlPlane.alerts.list({ which: 'open', limit: mostAlerts }),
  }
}

function dutyIn({
  works,
  instance,
  sources,
}: Pick<Duty, 'works' | 'instance' | 'sources'>): Pick<Measured, 'works' | 'collects'> {
  return { works, collects: sources.filter(({ collector }) => collector?.name === instance).length }
}
