/** What a queue says about where it moves what was received too often. */
export interface RedrivePolicy {
  readonly targetArn: string
  readonly maxReceiveCount: number
}

/** Releases, restarts and the crashes of neighbours count as well, so a limit must leave room above the turns that a policy allows. */
export const spareReceives = 10
/** What we make it: far above what a rolling restart adds, and a net for what kills whoever receives it. */
const usualLimit = 100
/** Amazon takes no more. */
const mostReceives = 1000

export function limitFor(maxTurns: number): number {
  return Math.min(Math.max(maxTurns + spareReceives, usualLimit), mostReceives)
}

/** Amazon gives the number as a number or as text. */
export function readRedrivePolicy(text: string | undefined): RedrivePolicy | undefined {
  if (!text) return undefined
  try {
    const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(text) as Record<string, unknown>
    return { targetArn: String(deadLetterTargetArn), maxReceiveCount: Number(maxReceiveCount) }
  } catch {
    return undefined
  }
}

export function writeRedrivePolicy({ targetArn, maxReceiveCount }: RedrivePolicy): string {
  return JSON.stringify({ deadLetterTargetArn: targetArn, maxReceiveCount })
}

export function queueOfArn(arn: string): string {
  return arn.slice(arn.lastIndexOf(':') + 1)
}
