import type { Plant } from '../plant.ts'
import { breakerBugs } from './breaker-bugs.ts'
import { spoolBugs } from './spool-bugs.ts'
import { transportBugs } from './transport-bugs.ts'

/** Everything that the simulator must find. */
export const plantedBugs: Readonly<Record<string, Plant>> = {
  ...Object.fromEntries(Object.entries(transportBugs).map(([name, transport]) => [name, { transport }])),
  ...spoolBugs,
  ...breakerBugs,
}
