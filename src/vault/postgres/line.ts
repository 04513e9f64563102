import type { Client } from 'pg'
import { RedriveError } from '../../core/errors.ts'
import type { Cancel, Clock } from '../../core/ports.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { vaultErrors } from './vault-errors.ts'

/** A connection of its own: what is asked on it waits for nobody's long question, and it hears what others notify. */
export interface Line {
  ask<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export interface LineOptions {
  readonly clock: Clock
  /** How long an answer may take until the connection is given up. Milliseconds. */
  readonly answerWithin: number
  readonly hears?: Hears
}

export interface Hears {
  readonly channel: string
  readonly onNotice: (text: string) => void
  /** It was cut off and is back: what was told meanwhile is lost. */
  readonly onGap: () => void
}

/** How long to wait until a connection that was lost is tried again. Milliseconds. */
const pause = 1000

/** What it is called in the server's list of sessions. */
export const lineName = 'redrive instance'

export function openLine(connections: Connections, { clock, answerWithin, hears }: LineOptions): Line {
  let connecting: Promise<Client> | undefined
  let current: Client | undefined
  let cancel: Cancel = () => {}
  let isClosed = false
  let wasOpen = false
  let last: Promise<unknown> = Promise.resolve()

  function connected(): Promise<Client> {
    if (isClosed) return Promise.reject(new RedriveError('closed', 'The vault is closed.'))
    connecting ??= connect().catch((error) => {
      connecting = undefined
      again()
      throw error
    })
    return connecting
  }

  async function connect(): Promise<Client> {
    const client = await connections.dedicated()
    client.once('end', () => gone(client))
    client.on('notification', ({ payload }) => hears?.onNotice(payload ?? ''))
    try {
      await inTime(client, `SET application_name TO '${lineName}'`)
      if (hears) await inTime(client, `LISTEN ${hears.channel}`)
    } catch (error) {
      void client.end().catch(() => {})
      throw error
    }
    current = client
    if (wasOpen) hears?.onGap()
    wasOpen = true
    return client
  }

  /** One that was given up before may end when another one is there. */
  function gone(client: Client): void {
    if (client !== current) return
    connecting = undefined
    current = undefined
    again()
  }

  /** Whoever listens must not wait for somebody to ask. */
  function again(): void {
    cancel()
    if (!isClosed) cancel = clock.after(pause, () => void connected().catch(() => {}), { background: true })
  }

  /** A connection on which nobody answers is ended: the next one may be better. */
  async function inTime<Row extends object>(client: Client, sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const late = clock.after(answerWithin, () => void client.end().catch(() => {}), { background: true })
    try {
      return (await client.query<Row>(sql, [...values])).rows
    } catch (error) {
      throw vaultErrors.committing(error)
    } finally {
      late()
    }
  }

  /** One after the other: who asks next has all of its time from when it is its turn. */
  function ask<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    const asked = last.then(async () => inTime<Row>(await connected(), sql, values))
    last = asked.catch(() => {})
    return asked
  }

  return {
    ask,
    async close() {
      isClosed = true
      cancel()
      const client = await connecting?.catch(() => undefined)
      cancel()
      if (client) await connections.dismiss(client)
    },
  }
}
