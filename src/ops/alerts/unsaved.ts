import type { AlertChanges } from '../../core/alerts/alerting.ts'
import type { Saying } from '../../core/alerts/group-book.ts'
import type { Sample } from '../../core/alerts/sample.ts'
import type { AlertCommit, EngineState } from '../../vault/operations/alert-records.ts'

/** What the engine has decided and the vault does not know yet. A commit that fails loses nothing of it. */
export interface Unsaved {
  add(changes: AlertChanges, sayings: readonly Saying[], samples: readonly Sample[]): void
  isEmpty(): boolean
  commit(engine: Omit<EngineState, 'digests'>): AlertCommit
  committed(): void
}

export function createUnsaved(): Unsaved {
  const alerts = new Map<string, AlertCommit['alerts'][number]>()
  const groups = new Map<string, AlertCommit['groups'][number]>()
  let digests: AlertChanges['digests'] = {}
  let sayings: Saying[] = []
  let samples: Sample[] = []

  return {
    add(changes, said, looks) {
      for (const [fingerprint, alert = null] of changes.alerts) alerts.set(fingerprint, { fingerprint, alert })
      for (const [key, group = null] of changes.groups) groups.set(key, { key, group })
      digests = changes.digests
      sayings.push(...said)
      samples.push(...looks)
    },
    isEmpty: () => alerts.size + groups.size + sayings.length + samples.length === 0,
    commit: (engine) => ({
      alerts: [...alerts.values()],
      groups: [...groups.values()],
      deliveries: sayings,
      samples,
      engine: { ...engine, digests },
    }),
    committed() {
      alerts.clear()
      groups.clear()
      sayings = []
      samples = []
    },
  }
}
