import type { MaintenanceWindow } from '../core/alerts/maintenance-window.ts'
import type { Rule } from '../core/alerts/rule.ts'
import type { Clock, NewId } from '../core/ports.ts'
import type { Vault } from '../vault/vault.ts'
import { alertsIn } from './alerts/alerts.ts'
import { sourceTrends } from './alerts/source-trends.ts'
import { type AlertingSetup, type RunningAlerting, startAlerting } from './alerts/start-alerting.ts'
import { causesIn } from './causes.ts'
import { createChanges } from './changes.ts'
import type { Collector } from './collect.ts'
import { checkConservation } from './conservation.ts'
import { consumersIn } from './consumers.ts'
import type { Change, ControlPlane } from './control-plane.ts'
import { createDiskRoom } from './disk-room.ts'
import type { RecordRules } from './forget-records.ts'
import { type BodyIndexer, indexBodies } from './index-bodies.ts'
import { lettersIn } from './letters.ts'
import { notingLoss } from './note-loss.ts'
import { isReadable, readSource } from './read-source.ts'
import { replaysIn } from './replay/replays.ts'
import { createRunner, runsElsewhere } from './replay/runner.ts'
import { createSchedule } from './replay/schedule.ts'
import type { TransportNamed } from './replay/send-letter.ts'
import type { Retention } from './retention.ts'
import { createCauseSettler } from './settle-causes.ts'
import { createLookout, type Lookout } from './several/lookout.ts'
import { sourceFindings } from './source-findings.ts'
import { type ConfiguredSource, isThe, sourcesIn } from './sources.ts'
import { traceOf } from './trace.ts'
import { createTriage, type TriageRule } from './triage.ts'
import { createUpkeep } from './upkeep.ts'

export interface ControlPlaneOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly newId: NewId
  readonly draw: (bytes: number) => Uint8Array
  readonly sources: readonly ConfiguredSource[]
  readonly transportNamed: TransportNamed
  readonly retention?: Retention & RecordRules
  readonly triage?: readonly TriageRule[]
  /** Rules start no replay of more letters than this by themselves: a person does. */
  readonly mostAlone?: number
  /** Whether somebody may be the second person who starts such a replay; without it, everybody may. */
  readonly mayApprove?: (actor: string) => Promise<boolean>
  /** The share of the vault's disk that is free, from 0 to 1; without it nobody looks, and letters are taken until nothing is. */
  readonly diskFree?: () => Promise<number>
  /** Without it nothing is watched, and nobody is told anything. */
  readonly alerting?: AlertingSetup
  /** What a control plane that does not watch knows of one that does. */
  readonly rules?: readonly Rule[]
  readonly windows?: readonly MaintenanceWindow[]
  /**
   * Where several control planes have one vault: this one `serves` people and does nothing of what they ask for in the background, or it `works`,
   * and hears from those that serve, and from those that collect. Otherwise it does all of it.
   */
  readonly part?: 'serves' | 'works'
}

/** A control plane that works: collects what is to be collected, and goes on with the replays that were running. */
export interface RunningControlPlane extends ControlPlane {
  start(): Promise<void>
  /** The first half of `start`, for who works beside another control plane, whose replays are not to be taken over. */
  startCollecting(): void
  /** The other half, once: for who lets people ask for something before it collects. */
  takeOver(): Promise<void>
  /** Something was done on the same vault by another one: what follows from it is done here. */
  heard(change: Change): void
}

/** The vault and the transports belong to who gave them: `close` ends what this does with them, and closes neither. */
export function createControlPlane(options: ControlPlaneOptions): RunningControlPlane {
  const {
    vault,
    clock,
    newId,
    draw,
    transportNamed,
    retention = {},
    triage: triageRules = [],
    mostAlone = Number.POSITIVE_INFINITY,
    mayApprove = async () => true,
    alerting: setup,
    diskFree,
    part,
  } = options
  const sources = options.sources.map((source) => notingLoss(source, vault))
  const changes = createChanges()
  const { tell, problem } = changes
  const room = diskFree && createDiskRoom(diskFree, clock)
  let collectors: readonly Collector[] = []
  let takenOver: Promise<void> | undefined
  let indexer: BodyIndexer | undefined
  let alerting: RunningAlerting | undefined

  const ownRunner = createRunner({
    vault,
    clock,
    newId,
    transportNamed,
    onProgress: (replay, counts) => tell({ kind: 'replay', replay, counts }),
    onFailure: (replay, error) => problem(`replay ${replay}`)(error),
  })
  const runner = part === 'serves' ? runsElsewhere : ownRunner
  const lookout =
    part === 'works'
      ? createLookout({
          ...{ vault, clock, runner, problem, lettersCame: collectedElsewhere },
          recover: () => triage.resume(),
          settle: () => settler.settle(),
        })
      : undefined

  function startCollecting(): void {
    collectors = sources.filter(isReadable).map(startReading)
  }

  function startReading(source: ConfiguredSource): Collector {
    return readSource(source, {
      ...{ vault, clock, draw, tell, problem, ...(room && { room }) },
      onKept(letters) {
        triage.arrived(letters)
        lettersCame(source)
      },
    })
  }

  function lettersCame(source: ConfiguredSource | undefined): void {
    if (source) alerting?.lettersCame(source)
    // One of them may have come back from a replay, which then has to stop.
    runner.wakeAll()
    indexer?.wake()
  }

  /** By another one, or by the part of this one that collects; nobody said which letters, so that rules are asked about all that are new. */
  async function collectedElsewhere(id?: number): Promise<void> {
    triage.catchUp()
    const name = id === undefined ? undefined : await vault.read('showSource', { id })
    lettersCame(name && sources.find(isThe(name)))
  }

  function takeOver(): Promise<void> {
    takenOver ??= runner.takeOver()
    return takenOver
  }

  /** One that has ended is told about too: what was assumed is known now. */
  async function replayHeard(replay: number): Promise<void> {
    runner.wake(replay)
    tell({ kind: 'replay', replay, counts: await vault.read('countLedger', { replay }) })
  }

  async function watch(): Promise<void> {
    if (!setup) return
    alerting = await startAlerting({
      ...setup,
      ...(diskFree && { diskFree }),
      vault,
      clock,
      sources,
      transportNamed,
      consumers: () => consumers.list(),
      onChange: ({ change, alert }) => tell({ kind: 'alert', fingerprint: alert.fingerprint, change }),
      onProblem: (source, error) => problem(source)(error),
    })
  }

  /** What others are doing in steps at this moment is not taken from them: the lookout finds what nobody does any more. */
  function startBeside(others: Lookout): void {
    others.start()
    upkeep.start()
    schedule.start()
  }

  function quietChanged(fingerprint: string | undefined): void {
    alerting?.engine.quietChanged()
    tell(fingerprint === undefined ? { kind: 'silences' } : { kind: 'alert', fingerprint, change: 'marked' })
  }

  const causeChanged = (cause: number): void => tell({ kind: 'cause', cause })
  const settler = createCauseSettler({ vault, clock, onSettled: causeChanged, onFailure: problem('letters of a split cause') })
  const upkeep = createUpkeep({ vault, clock, sources, retention, changes })
  const replays = replaysIn({
    vault,
    clock,
    runner,
    changed: ({ replay, counts }) => tell({ kind: 'replay', replay: replay.id, counts }),
    returnTo: (source) => sources.find(isThe(source))?.returnTo,
    transportNamed,
  })
  const schedule = createSchedule({
    ...{ vault, clock, replays, mostAlone, mayApprove, problem },
    onMissed: (replay) => void replayHeard(replay).catch(problem(`replay ${replay}`)),
  })
  const consumers = consumersIn({
    ...{ vault, clock, tell, replayHeard },
    channelRecovered: (recovery) => part !== 'serves' && triage.recovered(recovery),
  })
  const triage = createTriage({ rules: triageRules, mostAlone, vault, clock, replays, changes })

  return {
    letters: lettersIn(
      vault,
      clock,
      (letters) => tell({ kind: 'letters', letters }),
      (source) => sources.find(isThe(source))?.schemas,
    ),
    causes: causesIn(vault, clock, causeChanged, settler),
    replays,
    consumers,
    alerts: alertsIn(vault, clock, { ...options, ...setup, engineNow: () => alerting?.engine.now(), changed: quietChanged }),
    sources: sourcesIn(sources, vault, clock, (source) => alerting?.unknownSince(source)),
    trends: (window) => sourceTrends(sources, vault, clock, window),
    findings: () => sourceFindings(sources, vault),
    conservation: () => checkConservation(vault, clock),
    trace: (correlationId) => traceOf(correlationId, vault),
    onChange: changes.onChange,
    startCollecting,
    takeOver,
    heard(change) {
      lookout?.heard(change)
      if (change.kind === 'silences' || (change.kind === 'alert' && change.change === 'marked')) alerting?.engine.quietChanged()
    },
    async start() {
      await watch()
      if (part !== 'works') startCollecting()
      indexer = indexBodies(sources, vault, problem('index of bodies'))
      triage.catchUp()
      settler.settle()
      if (lookout) return startBeside(lookout)
      await takeOver()
      triage.resume()
      upkeep.start()
      schedule.start()
    },
    async close() {
      await schedule.stop()
      await lookout?.stop()
      await Promise.all(collectors.map((collector) => collector.stop()))
      await triage.close()
      // Whoever only answers a command, on a vault that nobody works on, leaves nothing half done.
      await (takenOver || part ? settler.stop() : settler.done())
      await indexer?.stop()
      await alerting?.stop()
      await runner.halt()
      await upkeep.stop()
      changes.close()
    },
  }
}
