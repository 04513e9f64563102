import { RedriveError } from '../../core/errors.ts'
import type { Clock, NewId } from '../../core/ports.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import type { TableVersion } from '../table-version.ts'
import type { Joining, Membership, Work } from '../turns.ts'
import type { Vault } from '../vault.ts'
import { renewing, shareLease, workLease } from './lease.ts'
import type { LeaseTiming } from './lease-timing.ts'
import { openLine } from './line.ts'
import { announce } from './presence.ts'
import { keepRenewing } from './renewal.ts'
import type { Turn } from './serve-turn.ts'
import { keepSettling } from './settle.ts'
import { sharedLeases, sharesOn } from './shared-leases.ts'
import { type Shares, takeShares } from './take-shares.ts'
import { takeTurns } from './take-turns.ts'
import { followsAll, type Transactions } from './transactions.ts'

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
  /** The vault for who has this share with this token. */
  readonly fencedShare: (share: string, token: string) => Vault
}

/** Nobody's news: a lease is free, or somebody came who wants a share. */
const isFree = ''

/** Nobody had heard of it for a minute, and it was taken for gone. */
const tooOld = new RedriveError('store-newer', 'The tables have become too new for this version of Redrive. Upgrade it.')

/** One connection renews all leases, or looks for them, and hears what the others tell. */
export async function join(options: JoinOptions): Promise<Membership> {
  const { connections, schema, name, release, clock, timing, newToken, fenced, fencedShare, onNotice, onGap, onProblem } = options
  const { begin, versions } = options
  const me = newToken()
  const channel = `redrive_${schema}`
  const hear = (text: string): void => (text === isFree ? look() : onNotice(text))
  const line = openLine(connections, { clock, answerWithin: timing.lasts / 2, hears: { channel, onNotice: hear, onGap } })
  const presence = await announce({
    ...{ connections, line, clock, schema, name, release, id: me, begin: begin.write, knows: versions.length },
    onTooOld: () => onProblem(tooOld),
  }).catch(async (error) => {
    await line.close()
    throw error
  })
  const settling = keepSettling({ connections, schema, begin, versions }, clock)
  const leaseOptions = { schema, name, lasts: timing.lasts, member: me }
  const lease = workLease(connections, line, leaseOptions)
  const renewals = keepRenewing({ renew: renewing(line, leaseOptions), clock, timing })
  const common = { renewals, clock, timing, onProblem }
  const turns = takeTurns({
    ...{ ...common, lease, newToken: () => `${me}/${newToken()}${followsAll}` },
    work: (turn) => worked(fenced(turn.token), turn, options.work),
  })
  let shares: Shares | undefined

  async function worked(vault: Vault, { isOurs }: Turn, work: Work): Promise<() => Promise<void>> {
    const end = await work({ vault, isOurs })
    return async () => {
      await end()
      await vault.close()
    }
  }

  function look(): void {
    turns.look()
    shares?.look()
  }

  /** Whoever works has the first word: nothing is shared out while nobody does. */
  async function share(): Promise<Shares> {
    const { sharing } = options
    const leases = sharedLeases(line, leaseOptions)
    await leases.tidy().catch(() => {})
    const taking = takeShares({
      ...{ ...common, me, leases, newToken, shares: sharing.shares },
      leaseOf: (name) => shareLease(connections, line, leaseOptions, name),
      work: (name, turn) => worked(fencedShare(name, turn.token), turn, (term) => sharing.work(name, term)),
      onFree: tellFree,
    })
    await taking.settled
    return taking
  }

  /** Whoever does not hear it looks a second later. */
  const tellFree = (): Promise<void> => tell(isFree).catch(() => {})

  async function tell(text: string): Promise<void> {
    await connections.ask('SELECT pg_notify($1, $2)', [channel, text])
  }

  await turns.settled
  if (options.sharing.shares.length > 0) shares = await share()
  await tellFree()
  return {
    tell,
    works: () => turns.isOn,
    async worker() {
      const found = await lease.holder()
      return found?.isCurrent ? { name: found.name, since: found.since } : undefined
    },
    shares: () => sharesOn(line, schema),
    present: presence.all,
    async leave() {
      await Promise.all([turns.stop(), shares?.stop()])
      await settling.stop()
      await renewals.stop()
      await presence.leave()
      await tellFree()
      await line.close()
    },
  }
}
