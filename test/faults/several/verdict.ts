import type { Struck } from './strikes.ts'

export interface SeveralVerdict {
  /** Letters, or alerts. */
  readonly all: number
  /** Neither kept, sent nor told. */
  readonly lost: number
  readonly twice: number
  readonly struck: Struck
  readonly note: string
}

export function isSound({ lost, twice }: SeveralVerdict): boolean {
  return lost === 0 && twice === 0
}
