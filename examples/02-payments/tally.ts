import type { Consumer } from '../../src/redrive.ts'
import { channels } from './messages.ts'

/** What has become of the payments so far. */
export interface Tally {
  created: number
  settled: number
  dead: number
  invalid: number
  /** Ids of payments that wait for another try. */
  readonly retrying: Set<string>
  /** Letters in the dead-letter channel, as the monitor last counted them; `undefined` when it could not. */
  lettersInDlq: number | undefined
}

export function createTally(): Tally {
  return { created: 0, settled: 0, dead: 0, invalid: 0, retrying: new Set(), lettersInDlq: 0 }
}

export function finished({ settled, dead, invalid }: Tally): number {
  return settled + dead + invalid
}

/** Keeps the tally from what the consumer tells; `changed` is called after each payment that is done with. */
export function tallySettlements(consumer: Consumer, tally: Tally, changed: () => void): void {
  const ends = (outcome: 'settled' | 'dead' | 'invalid') => (event: { channel: string; messageId: string | undefined }) => {
    if (event.channel !== channels.settlements) return
    tally.retrying.delete(event.messageId ?? '')
    tally[outcome]++
    changed()
  }
  consumer.on('completed', ends('settled'))
  consumer.on('dead-lettered', ends('dead'))
  consumer.on('invalid', ends('invalid'))
  consumer.on('retried', ({ channel, messageId }) => {
    if (channel === channels.settlements) tally.retrying.add(messageId ?? '')
  })
}
