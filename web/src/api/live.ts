import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { Counts, ReplayDetail } from './replays.ts'

export type Connection = 'live' | 'connecting' | 'lost'

/** What was told about letters since the page was opened. */
export interface Told {
  /** How many came or changed. */
  readonly letters: number
  /** How often some may have, nobody said how many: in a replay, or while nothing could be heard. */
  readonly doubts: number
}

/** However fast things change, the screen follows so often. */
const flushEvery = 1000
const listenAgainAfter = 5000

let connection: Connection = 'connecting'
let told: Told = { letters: 0, doubts: 0 }
const listeners = new Set<() => void>()

function change(next: { readonly connection?: Connection } & Partial<Told>): void {
  connection = next.connection ?? connection
  const { letters = 0, doubts = 0 } = next
  if (letters + doubts > 0) told = { letters: told.letters + letters, doubts: told.doubts + doubts }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection)
}

/** A list keeps what had been told when it was asked for, and says what it does not show yet, however long nobody looked at it. */
export function toldSoFar(): Told {
  return told
}

export function useTold(): Told {
  return useSyncExternalStore(subscribe, toldSoFar)
}

/** Keeps everything that is shown up to date while somebody is signed in. Events only say what to look at again. */
export function useLive(): void {
  const client = useQueryClient()
  useEffect(() => {
    const stale = staleKeys(client)
    let stop = listen(client, stale, lost)
    let again: ReturnType<typeof setTimeout> | undefined

    /** A browser does not come back by itself from an answer that is no stream, such as a proxy's while the server is exchanged. */
    function lost(): void {
      change({ connection: 'lost' })
      // Where it was a 401, asking who we are shows it, and this screen ends.
      void client.invalidateQueries({ queryKey: ['session'] })
      again = setTimeout(() => {
        stop = listen(client, stale, lost)
      }, listenAgainAfter)
    }

    return () => {
      clearTimeout(again)
      stop()
      stale.stop()
    }
  }, [client])
}

type Stale = ReturnType<typeof staleKeys>

/** Follows the events of the server until it is told to stop, or that cannot be done any more. */
function listen(client: QueryClient, stale: Stale, lost: () => void): () => void {
  const source = new EventSource('/api/v1/events')
  source.onopen = () => {
    // Nobody told what happened meanwhile.
    if (connection === 'lost') missed(client)
    change({ connection: 'live' })
  }
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) lost()
    else change({ connection: 'connecting' })
  }
  source.addEventListener('letters', (event) => {
    const { letters } = JSON.parse(event.data) as { letters: number }
    change({ letters })
    stale.add('sources', 'causes', 'cause', 'flow', 'letter', 'count')
  })
  source.addEventListener('cause', () => stale.add('causes', 'cause'))
  source.addEventListener('alert', () => stale.add('alerts'))
  source.addEventListener('consumer', () => stale.add('consumers'))
  source.addEventListener('silences', () => stale.add('silences', 'alerts'))
  source.addEventListener('conservation', () => stale.add('conservation'))
  source.addEventListener('replay', (event) => {
    const { replay, counts } = JSON.parse(event.data) as { replay: number; counts: Counts }
    client.setQueryData<ReplayDetail>(['replay', replay], (known) => known && { ...known, counts })
    change({ doubts: 1 })
    stale.add('replay', 'replays', 'ledger', 'sources', 'causes', 'cause', 'flow', 'letter')
  })
  source.addEventListener('reset', () => missed(client))
  return () => source.close()
}

function missed(client: QueryClient): void {
  void client.invalidateQueries({ predicate: isFresh })
  change({ doubts: 1 })
}

/** What a payload held is never looked at again without a person who asks for it. */
function isFresh({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== 'content' && queryKey[0] !== 'letters'
}

/** Collects what is to be asked for anew, and asks at once the first time and then at most once in a while. */
function staleKeys(client: QueryClient): { add(...keys: readonly string[]): void; stop(): void } {
  const keys = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    timer = undefined
    if (keys.size === 0) return
    for (const key of keys) void client.invalidateQueries({ queryKey: [key] })
    keys.clear()
    timer = setTimeout(flush, flushEvery)
  }
  return {
    add(...more) {
      for (const key of more) keys.add(key)
      if (timer === undefined) flush()
    },
    stop: () => clearTimeout(timer),
  }
}
