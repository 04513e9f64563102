import { type Chore, createChore } from '../../core/chore.ts'
import type { Clock } from '../../core/ports.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { someOf, type TableVersion } from '../table-version.ts'
import { isOlderThere } from './presence.ts'
import { tablesIn } from './tables.ts'
import type { Transactions } from './transactions.ts'
import { isInTheWay, quickly } from './when-let-through.ts'

export interface Settling {
  readonly connections: Connections
  readonly schema: string
  readonly begin: Transactions
  readonly versions: readonly TableVersion[]
  /** Between two steps it may be ended: the next one goes on. */
  readonly goesOn?: () => boolean
  /** Whether somebody is there whose code does not know a version. */
  readonly isNeeded?: typeof isOlderThere
}

/** Few enough that whoever else writes does not wait long for its turn. */
const rowsAtOnce = 500

/** How often it is looked whether those who need what is to go have gone. Milliseconds. */
const every = 3000

/** Again and again, until nothing is left. */
export function keepSettling(settling: Settling, clock: Clock): Pick<Chore, 'stop'> {
  let isOver = false
  const chore = createChore({
    ...{ clock, every },
    async work() {
      isOver ||= await settle({ ...settling, goesOn: () => !isOver })
    },
    // A server that does not answer is asked again.
    onFailure() {},
  })
  chore.start()
  return {
    async stop() {
      isOver = true
      await chore.stop()
    },
  }
}

/**
 * Does what is left of the versions that this code knows: rows are filled step by step, and what nobody uses any more goes when nobody is there who did.
 * Whether nothing is left. Several may do it at the same time: every step is a write, and finds what the last one left.
 */
export async function settle(settling: Settling): Promise<boolean> {
  const { connections, schema, versions } = settling
  const { settled } = await connections.within((ask) => tablesIn(ask, schema))
  for (let version = settled + 1; version <= versions.length; version++) {
    await fill(settling, versions[version - 1])
    if (!(await finish(settling, version))) return false
  }
  return true
}

async function fill({ connections, begin, goesOn = () => true }: Settling, version: TableVersion | undefined): Promise<void> {
  if (!version?.filling) return
  const step = someOf(version.filling, rowsAtOnce)
  for (let rows = rowsAtOnce; rows === rowsAtOnce && goesOn(); ) {
    rows = await connections.within(async (_, query) => (await query(step)).rowCount ?? 0, begin.write)
  }
}

/** In one transaction in which nobody else writes or comes: nobody is there who needs it, nothing is left to fill, and it goes. */
async function finish(
  { connections, schema, begin, versions, isNeeded = isOlderThere }: Settling,
  number: number,
): Promise<boolean> {
  const { filling, contraction } = versions[number - 1] ?? {}
  const work: Parameters<typeof connections.within<boolean>>[0] = async (ask) => {
    if ((await tablesIn(ask, schema)).settled >= number) return true
    const isWaiting = filling !== undefined || contraction !== undefined
    if (isWaiting && (await isNeeded(ask, number))) return false
    if (filling && (await ask(`SELECT FROM ${filling.table} WHERE ${filling.where} LIMIT 1`)).length > 0) return false
    if (contraction !== undefined) await ask(contraction)
    await ask('UPDATE vault_version SET settled = $1, oldest = greatest(oldest, $2)', [
      number,
      contraction === undefined ? 0 : number,
    ])
    return true
  }
  try {
    return await connections.within(work, quickly(begin.write))
  } catch (error) {
    if (isInTheWay(error)) return false
    throw error
  }
}
