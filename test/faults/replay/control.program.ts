import { randomBytes } from 'node:crypto'
import { createControlPlane } from '../../../src/ops/create-control-plane.ts'
import { newUuid } from '../../../src/platform/chance.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { embedded } from '../../../src/transports/embedded/embedded.ts'
import { sqliteVault } from '../../../src/vault/sqlite/sqlite-vault.ts'
import { recordingBeforeSending, sendClaimsAgain } from './plants.ts'
import { standingStillAt, transportWithPoints, vaultWithPoints } from './points.ts'

/** `control.program.ts <vault> <queue> <replay> [point] [passes] [plant]`: a control plane that goes on with a replay until nothing is left to send. */
const [, , vaultFile = '', queueFile = '', replay = '', point = '', passes = '0', plant = ''] = process.argv
if (plant === 'sends-claims-again') sendClaimsAgain(vaultFile)
const reach = standingStillAt(point, Number(passes))
const opened = sqliteVault({ file: vaultFile })
const withPoints = vaultWithPoints(opened, reach)
const vault = plant === 'records-before-it-sends' ? recordingBeforeSending(withPoints) : withPoints
const transport = transportWithPoints(embedded({ file: queueFile }), reach)
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
  if (change.kind !== 'replay' || change.replay !== Number(replay)) return
  if (change.counts.planned + change.counts.claimed === 0) process.exit(0)
})
await plane.start()
process.send?.('ready')
