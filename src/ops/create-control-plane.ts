import { RedriveError } from '../core/errors.ts'
import type { Cancel, Clock, NewId } from '../core/ports.ts'
import type { Vault } from '../vault/vault.ts'
import { causesIn } from './causes.ts'
import { type Collector, collect } from './collect.ts'
import type { Change, ControlPlane } from './control-plane.ts'
import { follow } from './follow.ts'
import { lettersIn } from './letters.ts'
import { replaysIn } from './replay/replays.ts'
import { createRunner } from './replay/runner.ts'
import type { TransportNamed } from './replay/send-claimed.ts'
import { type Retention, sweep } from './retention.ts'
import { type ConfiguredSource, statusOfSources } from './sources.ts'
import { traceOf } from './trace.ts'

export interface ControlPlaneOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly newId: NewId
  readonly draw: (bytes: number) => Uint8Array
  readonly sources: readonly ConfiguredSource[]
  readonly transportNamed: TransportNamed
  readonly retention?: Retention
}

const sweepEvery = 3_600_000

/** A control plane that works: collects what is to be collected, and goes on with the replays that were running. */
export interface RunningControlPlane extends ControlPlane {
  start(): Promise<void>
  /** The first half of `start`, for who works beside another control plane, whose replays are not to be taken over. */
  startCollecting(): void
}

/** The vault and the transports belong to who gave them: `close` ends what this does with them, and closes neither. */
export function createControlPlane(options: ControlPlaneOptions): RunningControlPlane {
  const { vault, clock, newId, draw, sources, transportNamed, retention = {} } = options
  const listeners = new Set<(change: Change) => void>()
  let collectors: readonly Collector[] = []
  let sweeping: Promise<void> | undefined
  let cancelSweep: Cancel = () => {}

  function tell(change: Change): void {
    for (const listener of listeners) {
      try {
        listener(change)
      } catch {
        // Whoever listens has a problem of their own; letters and replays go on.
      }
    }
  }

  const runner = createRunner({
    vault,
    clock,
    newId,
    transportNamed,
    onProgress: (replay, counts) => tell({ kind: 'replay', replay, counts }),
    onFailure: (replay, error) => tell({ kind: 'problem', source: `replay ${replay}`, code: codeOf(error) }),
  })

  function startCollecting(): void {
    collectors = sources.filter(({ mode }) => mode !== 'watch').map(startReading)
  }

  function startReading(source: ConfiguredSource): Collector {
    const read = source.mode === 'follow' ? follow : collect
    return read(source, {
      vault,
      clock,
      draw,
      onKept({ source: id, letters, reopenedCauses }) {
        tell({ kind: 'letters', source: id, letters: letters.length })
        for (const cause of reopenedCauses) tell({ kind: 'cause', cause })
        // One of them may have come back from a replay, which then has to stop.
        runner.wakeAll()
      },
      onProblem: (problem) => tell({ kind: 'problem', source: source.address.name, code: problem.code }),
    })
  }

  async function sweepNow(): Promise<void> {
    try {
      const { expired, purged } = await sweep(retention, vault, clock)
      if (expired + purged > 0) tell({ kind: 'letters', source: 0, letters: expired + purged })
    } catch (error) {
      tell({ kind: 'problem', source: 'retention', code: codeOf(error) })
    }
    cancelSweep = clock.after(sweepEvery, startSweep, { background: true })
  }

  function startSweep(): void {
    sweeping = sweepNow()
  }

  return {
    letters: lettersIn(vault, clock, (letters) => tell({ kind: 'letters', source: 0, letters })),
    causes: causesIn(vault, clock, (cause) => tell({ kind: 'cause', cause })),
    replays: replaysIn(vault, clock, runner, ({ replay, counts }) => tell({ kind: 'replay', replay: replay.id, counts })),
    sources: () => statusOfSources(sources, vault, clock),
    trace: (correlationId) => traceOf(correlationId, vault),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    startCollecting,
    async start() {
      startCollecting()
      await runner.takeOver()
      startSweep()
    },
    async close() {
      await Promise.all(collectors.map((collector) => collector.stop()))
      await runner.halt()
      await sweeping
      cancelSweep()
      listeners.clear()
    },
  }
}

function codeOf(error: unknown): string {
  return error instanceof RedriveError ? error.code : 'failed'
}
