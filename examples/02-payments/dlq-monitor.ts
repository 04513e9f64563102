import { setTimeout as sleep } from 'node:timers/promises'
import { textHeader } from '../../src/core/headers.ts'
import type { Browsed, Transport } from '../../src/transports/seam.ts'
import { channels } from './messages.ts'
import { untilChannelExists } from './until-channel-exists.ts'

/** What an operator is told about a permanent failure: never the payload. */
export interface PermanentFailure {
  readonly channel: string
  readonly correlationId: string
  readonly reason: string
  readonly description: string
}

export interface DlqMonitorOptions {
  readonly transport: Transport
  readonly signal: AbortSignal
  readonly every: number
  readonly failed: (failure: PermanentFailure) => void
  /** Letters that lie in the dead-letter channel right now. */
  readonly counted: (letters: number) => void
}

export interface DlqMonitor {
  /** Runs until it is told to stop. */
  run(): Promise<void>
  look(): Promise<void>
}

/** Watches the dead letters and logs each once. It only looks: every letter stays where it is, for a person to decide about. */
export function createDlqMonitor(options: DlqMonitorOptions): DlqMonitor {
  const { transport, signal, every, failed, counted } = options
  const watched = [channels.deadSettlements, channels.invalidSettlements].map((name) => lookAtNew(transport, name))

  async function look(): Promise<void> {
    for (const lookAt of watched) for (const failure of await lookAt()) failed(failure)
    counted((await transport.measure({ name: channels.deadSettlements })).retained)
  }

  return {
    look,
    async run() {
      for (const name of [channels.deadSettlements, channels.invalidSettlements]) {
        await untilChannelExists(transport, name, signal)
      }
      while (!signal.aborted) {
        await look()
        await sleep(every, undefined, { signal }).catch(() => {})
      }
    },
  }
}

const pageSize = 100

/** Gives the letters that were not there at the last look. It remembers the last page and not every letter there ever was. */
function lookAtNew(transport: Transport, name: string): () => Promise<readonly PermanentFailure[]> {
  let after: string | undefined
  let seen = new Set<string>()
  return async () => {
    const found: PermanentFailure[] = []
    for (;;) {
      const page = await transport.browse({ name }, { limit: pageSize, ...(after !== undefined && { after }) })
      for (const letter of page.messages) {
        const position = letter.position ?? ''
        if (!seen.has(position)) found.push(describe(name, letter))
        seen.add(position)
      }
      if (page.next === undefined) return found
      after = page.next
      seen = new Set()
    }
  }
}

function describe(channel: string, { message }: Browsed): PermanentFailure {
  return {
    channel,
    correlationId: message.correlationId ?? textHeader(message.headers, 'redrive-correlation-id') ?? '(none)',
    reason: textHeader(message.headers, 'redrive-reason') ?? '(unknown)',
    description: textHeader(message.headers, 'redrive-description') ?? '',
  }
}
