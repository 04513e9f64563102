import { RedriveError } from '../../core/errors.ts'
import { newUuid } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'
import { type Connections, createConnections, type Query, queryOn } from '../../platform/postgres/connections.ts'
import { halfCopied } from '../copy/half-copy.ts'
import type { CopySource, CopyTarget } from '../copy/place.ts'
import { postgresCopyWords } from './copy-words.ts'
import { holdVault } from './hold.ts'
import { isThere, migrate } from './migrate.ts'
import { postgresSql, vaultTypes } from './postgres-sql.ts'
import { settle } from './settle.ts'
import { knownTables } from './tables.ts'
import { standingStill, transactionsOf } from './transactions.ts'
import { shownAddress, vaultAddress } from './vault-address.ts'
import { vaultErrors } from './vault-errors.ts'

/** Counting ten million rows takes a server longer than any question of a control plane. Milliseconds. */
const answerWithin = 900_000

/** One connection keeps the writers' lock and reads as of one moment: it was given the lock before that. */
export async function serverSource(place: string): Promise<CopySource> {
  const { schema, connections, close } = await held(place, 'there')
  try {
    const client = await connections.dedicated()
    const query: Query = (...question) =>
      queryOn(client)(...question).catch((error) => {
        throw vaultErrors.working(error)
      })
    for (const statement of standingStill(schema)) await query(statement)
    const sql = postgresSql(query)
    if (await postgresCopyWords.isHalfCopy(sql)) throw halfCopied(shownAddress(place))
    return {
      name: shownAddress(place),
      words: postgresCopyWords,
      sql,
      async close() {
        await connections.dismiss(client)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

export async function serverTarget(place: string): Promise<CopyTarget> {
  const { schema, token, connections, close } = await held(place, 'there or made')
  const { read, write } = transactionsOf(schema, token)
  return {
    name: shownAddress(place),
    words: postgresCopyWords,
    read: (work) => connections.within((_, query) => work(postgresSql(query)), read),
    write: (work) => connections.within((_, query) => work(postgresSql(query)), write),
    close,
  }
}

interface Held {
  readonly schema: string
  readonly token: string
  readonly connections: Connections
  close(): Promise<void>
}

/** As a control plane has it: another one is refused, and one that was cut off can write nothing any more. */
async function held(place: string, wanted: 'there' | 'there or made'): Promise<Held> {
  const { url, schema } = vaultAddress(place)
  const connections = createConnections(
    { url, tls: undefined, connections: 2, connectWithin: 10_000, answerWithin, clock: systemClock, types: vaultTypes },
    vaultErrors,
  )
  try {
    if (wanted === 'there' && !(await isThere(connections, schema))) {
      throw new RedriveError('bad-option', `${shownAddress(place)}: there is no such vault.`)
    }
    await migrate(connections, schema, transactionsOf(schema))
    const token = newUuid()
    const { release } = await holdVault(connections, { schema, token, name: 'a copy', clock: systemClock, onLost() {} })
    const isSettled = await settle({ connections, schema, begin: transactionsOf(schema, token), versions: knownTables })
    if (!isSettled) {
      await release()
      throw unsettled(place)
    }
    return {
      ...{ schema, token, connections },
      async close() {
        await release()
        await connections.close()
      },
    }
  } catch (error) {
    await connections.close()
    throw error
  }
}

function unsettled(place: string): RedriveError {
  return new RedriveError(
    'conflict',
    `${shownAddress(place)}: control planes of an older version have this vault, and its tables are half of theirs. Stop them first.`,
  )
}
