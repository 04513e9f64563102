import type { Transport } from '../../../src/transports/seam.ts'
import type { Writes } from '../../../src/vault/operations/operations.ts'
import type { InputOf, Vault } from '../../../src/vault/vault.ts'

/** Every step between a letter that is planned and one whose fate is written down. */
export const replayPoints = [
  'before-claim',
  'after-claim',
  'before-send',
  'after-send-begun',
  'after-send-confirmed',
  'before-record',
  'after-record',
] as const

export type ReplayPoint = (typeof replayPoints)[number]
export type Reach = (point: ReplayPoint) => Promise<void>

/** The process tells its parent that it has reached the point, and stands still there until it is killed or told to go on. */
export function standingStillAt(chosen: string | undefined, passes: number): Reach {
  let seen = 0
  const released = new Promise<void>((resolve) => process.once('message', () => resolve()))
  return async (point) => {
    if (point !== chosen || seen++ < passes) return
    process.send?.(point)
    await released
  }
}

/** A turn may write down what was sent, take the next ones, or both. */
export function vaultWithPoints(vault: Vault, reach: Reach): Vault {
  const write = async (name: string, input: never): Promise<unknown> => {
    if (name !== 'advanceReplay') return vault.write(name as never, input)
    const turn: InputOf<Writes['advanceReplay']> = input
    if (turn.outcomes.length > 0) await reach('before-record')
    if (turn.most > 0) await reach('before-claim')
    const advance = await vault.write(name, turn)
    if (turn.outcomes.length > 0) await reach('after-record')
    if (advance.claimed.length > 0) await reach('after-claim')
    return advance
  }
  return { ...vault, write: write as Vault['write'] }
}

/** Without the broker's own deduplication, which would hide that something is sent twice. */
export function transportWithPoints(transport: Transport, reach: Reach): Transport {
  return {
    ...transport,
    async send(address, message) {
      await reach('before-send')
      const sending = transport.send(address, message)
      sending.catch(() => {})
      await reach('after-send-begun')
      const receipt = await sending
      await reach('after-send-confirmed')
      return receipt
    },
  }
}
