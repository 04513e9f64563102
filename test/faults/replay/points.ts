import type { Transport } from '../../../src/transports/seam.ts'
import type { Vault } from '../../../src/vault/vault.ts'

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

/** The process tells its parent that it has reached the point, and stands still there until it is killed. */
export function standingStillAt(chosen: string | undefined, passes: number): Reach {
  let seen = 0
  return async (point) => {
    if (point !== chosen || seen++ < passes) return
    process.send?.(point)
    await new Promise(() => {})
  }
}

export function vaultWithPoints(vault: Vault, reach: Reach): Vault {
  const write = async (name: string, input: never): Promise<unknown> => {
    const step = name === 'claimLetters' ? 'claim' : name === 'recordSends' ? 'record' : undefined
    if (step) await reach(`before-${step}`)
    const output = await vault.write(name as never, input)
    if (step) await reach(`after-${step}`)
    return output
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
