import type { CauseDecision } from '../../api/causes.ts'

/** What somebody said, in one sentence, as it reads on the screen of a cause. */
export function decisionText({ kind, cause, causeTitle, target, targetTitle, rule }: CauseDecision, here: number): string {
  if (kind === 'split') {
    return target === here
      ? `Split from cause ${cause}, ${causeTitle}: letters with ${rule}`
      : `Letters with ${rule} were split from cause ${cause} as cause ${target}, ${targetTitle}`
  }
  return target === here
    ? `Merged from cause ${cause}, ${causeTitle}`
    : `Cause ${cause}, ${causeTitle}, was merged into cause ${target}, ${targetTitle}`
}
