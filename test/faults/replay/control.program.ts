import { randomBytes } from 'node:crypto'
import { createControlPlane } from '../../../src/ops/create-control-plane.ts'
import { newUuid } from '../../../src/platform/chance.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { sqliteVault } from '../../../src/vault/sqlite/sqlite-vault.ts'
import { type Connection, transportTo } from './arena.ts'
import { type ReplayPlant, recordingBeforeSending, sendClaimsAgain, takingSilenceForAbsence } from './plants.ts'
import { type ReplayPoint, standingStillAt, transportWithPoints, vaultWithPoints } from './points.ts'

/** A control plane that goes on with a replay until nothing is left to send. */
export interface ControlOrder {
  readonly vaultFile: string
  readonly connection: Connection
  readonly replay: number
  /** Where it stands still until it is killed or told to go on, after so many times that it went on. */
  readonly point?: ReplayPoint
  readonly passes?: number
  /** So long after it was ready it dies as by kill -9. By its own clock: on a busy machine nobody else would be in time. Milliseconds. */
  readonly diesAfter?: number
  readonly plant?: ReplayPlant
}

/** What it tells its parent whenever something has changed. */
export interface ControlNews {
  readonly sent: number
}

const { vaultFile, connection, replay, point, passes = 0, diesAfter, plant } = JSON.parse(process.argv[2] ?? '{}') as ControlOrder
if (plant === 'sends-claims-again') sendClaimsAgain(vaultFile)
const reach = standingStillAt(point, passes)
const withPoints = vaultWithPoints(sqliteVault({ file: vaultFile }), reach)
const vault = plant === 'records-before-it-sends' ? recordingBeforeSending(withPoints) : withPoints
const ownTransport = transportTo(connection)
const transport = transportWithPoints(
  plant === 'takes-silence-for-absence' ? takingSilenceForAbsence(ownTransport) : ownTransport,
  reach,
)
const plane = createControlPlane({
  vault,
  clock: systemClock,
  newId: newUuid,
  draw: randomBytes,
  sources: [],
  transportNamed: () => transport,
})
plane.onChange((change) => {
  if (change.kind === 'problem') console.error(change.source, change.code)
  if (change.kind !== 'replay' || change.replay !== replay) return
  process.send?.({ sent: change.counts.sent } satisfies ControlNews)
  if (change.counts.planned + change.counts.claimed === 0) process.exit(0)
  void resumeWhereStopped()
})
await plane.start()
process.send?.('ready')
if (diesAfter !== undefined) setTimeout(() => process.kill(process.pid, 'SIGKILL'), diesAfter)
// A server would keep the process alive; a replay that waits for its next letter does not.
setInterval(() => {}, 60_000)

/** It stops by itself when a broker confirms nothing any more. A person who has looked lets it go on. */
async function resumeWhereStopped(): Promise<void> {
  const { replay: shown } = await plane.replays.show(replay)
  if (shown.state === 'stopped') await plane.replays.resume(replay, { actor: 'test' }).catch(() => {})
}
