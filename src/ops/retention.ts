import type { LetterState } from '../core/letter-states.ts'
import type { Clock } from '../core/ports.ts'
import type { Vault } from '../vault/vault.ts'

/** Milliseconds; what is absent is kept for ever. */
export interface Retention {
  /** Since they were settled: replayed, returned, discarded or expired. */
  readonly letters?: number
  /** Since they came, for letters that nobody has settled. They expire first, and are settled then. */
  readonly open?: number
}

const settled: readonly LetterState[] = ['succeeded', 'assumed', 'returned', 'discarded', 'expired']
const page = 500
/** For how long an identity outlives its letter: the longest that a broker of ours keeps a copy which could be found once more. */
export const remembered: number = 400 * 24 * 3_600_000

/** Takes away what is older than it may be, in short transactions; tells how much. */
export async function sweep(retention: Retention, vault: Vault, clock: Clock): Promise<{ expired: number; purged: number }> {
  const now = clock.now()
  const expired = await each(['open'], now - (retention.open ?? Number.POSITIVE_INFINITY), vault, (letters) =>
    vault.write('expireLetters', { letters, now }),
  )
  const purged = await each(settled, now - (retention.letters ?? Number.POSITIVE_INFINITY), vault, (letters) =>
    vault.write('purgeLetters', { letters, rememberUntil: now + remembered }),
  )
  await vault.write('forgetTombstones', { now })
  return { expired, purged }
}

async function each(
  states: readonly LetterState[],
  before: number,
  vault: Vault,
  act: (letters: readonly number[]) => Promise<{ readonly letters: number }>,
): Promise<number> {
  if (before === Number.NEGATIVE_INFINITY) return 0
  for (let done = 0; ; ) {
    const letters = await vault.read('endedBefore', { states, before, limit: page })
    if (letters.length === 0) return done
    const { letters: changed } = await act(letters)
    // Somebody else had them all: they will be looked at again next time.
    if (changed === 0) return done
    done += changed
  }
}
