import { RedriveError } from '../../core/errors.ts'
import type { Reach } from '../../transports/seam.ts'
import type { Destination } from '../../vault/replay-rows.ts'
import type { PlannedDestination } from './plan-replay.ts'
import type { TransportNamed } from './send-letter.ts'

/** Each is a question to the broker, and a key may be another one in every letter. */
const mostAsked = 20

/** Who would get what goes by way of an exchange; where that cannot be known, it says so and why. */
export async function withReach(
  destinations: readonly PlannedDestination[],
  transportNamed: TransportNamed,
): Promise<readonly PlannedDestination[]> {
  let asked = 0
  const found: PlannedDestination[] = []
  for (const planned of destinations) {
    const { via } = planned.destination
    if (!via) found.push(planned)
    else found.push({ ...planned, reach: ++asked > mostAsked ? notAsked : await reachOf(planned.destination, transportNamed) })
  }
  return found
}

const notAsked: Reach = { channels: [], doubt: `Only the first ${mostAsked} routes were looked at.` }

async function reachOf({ connection, via }: Destination, transportNamed: TransportNamed): Promise<Reach> {
  const transport = transportNamed(connection)
  if (!via || !transport?.reach) return { channels: [], doubt: `The connection ${connection} is not configured here.` }
  try {
    return await transport.reach(via)
  } catch (error) {
    return { channels: [], doubt: `The broker could not be asked (${error instanceof RedriveError ? error.code : 'failed'}).` }
  }
}
