import { RedriveError } from '../../core/errors.ts'
import type { Clock, NewId } from '../../core/ports.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import type { TableVersion } from '../table-version.ts'
import type { Joining, Membership } from '../turns.ts'
import type { Vault } from '../vault.ts'
import { leaseOn } from './lease.ts'
import type { LeaseTiming } from './lease-timing.ts'
import { openLine } from './line.ts'
import { announce } from './presence.ts'
import { keepSettling } from './settle.ts'
import { takeTurns } from './take-turns.ts'
import type { Transactions } from './transactions.ts'

export interface JoinOptions extends Joining {
  readonly connections: Connections
  readonly schema: string
  readonly clock: Clock
  readonly timing: LeaseTiming
  readonly newToken: NewId
  /** How this code begins to write, and the tables that it knows. */
  readonly begin: Transactions
  readonly versions: readonly TableVersion[]
  /** The vault for who has this token. */
  readonly fenced: (token: string) => Vault
}

/** Nobody's news: the lease is free. */
const isFree = ''

/** Nobody had heard of it for a minute, and it was taken for gone. */
const tooOld = new RedriveError('store-newer', 'The tables have become too new for this version of Redrive. Upgrade it.')

/** One connection renews the lease, or looks for it, and hears what the others tell. */
export async function join(options: JoinOptions): Promise<Membership> {
  const { connections, schema, name, release, clock, timing, newToken, fenced, work, onNotice, onGap, onProblem } = options
  const { begin, versions } = options
  const channel = `redrive_${schema}`
  const hear = (text: string): void => (text === isFree ? turns.look() : onNotice(text))
  const line = openLine(connections, { clock, answerWithin: timing.lasts / 2, hears: { channel, onNotice: hear, onGap } })
  const presence = await announce({
    ...{ connections, line, clock, schema, name, release, id: newToken(), begin: begin.write, knows: versions.length },
    onTooOld: () => onProblem(tooOld),
  }).catch(async (error) => {
    await line.close()
    throw error
  })
  const settling = keepSettling({ connections, schema, begin, versions }, clock)
  const lease = leaseOn(connections, line, { schema, name, lasts: timing.lasts })
  const turns = takeTurns({
    ...{ lease, clock, timing, newToken, onProblem },
    async work({ token, isOurs }) {
      const vault = fenced(token)
      const end = await work({ vault, isOurs })
      return async () => {
        await end()
        await vault.close()
      }
    },
  })

  async function tell(text: string): Promise<void> {
    await connections.ask('SELECT pg_notify($1, $2)', [channel, text])
  }

  await turns.settled
  return {
    tell,
    works: () => turns.isOn,
    async worker() {
      const found = await lease.holder()
      return found?.isCurrent ? { name: found.name, since: found.since } : undefined
    },
    present: presence.all,
    async leave() {
      await turns.stop()
      await settling.stop()
      await presence.leave()
      // Whoever does not hear it looks a second later.
      await tell(isFree).catch(() => {})
      await line.close()
    },
  }
}
