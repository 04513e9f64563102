import type { Trend } from '../../api/sources.ts'
import { numberText } from '../../parts/number.model.ts'

export interface Course {
  /** How much more there is now than at the first look that is known. */
  readonly change: number
  /** When that look was. */
  readonly since: number
}

/** Whether it gets better: the number now against the first that is known; `undefined` where nobody looked before. */
export function courseOf({ steps }: Pick<Trend, 'steps'>, now: number): Course | undefined {
  const first = steps.slice(0, -1).find(({ letters }) => letters !== null)
  return first && { change: now - (first.letters ?? 0), since: first.at }
}

/** What came and went in all steps that are known of; nothing where none is. */
export function flowText({ steps }: Pick<Trend, 'steps'>): string | undefined {
  const known = steps.filter(({ came }) => came !== null)
  if (known.length === 0) return undefined
  const [came, went] = [total(known.map((step) => step.came)), total(known.map((step) => step.went))]
  return `At least ${numberText(came)} came and ${numberText(went)} went`
}

function total(numbers: readonly (number | null)[]): number {
  return numbers.reduce<number>((sum, each) => sum + (each ?? 0), 0)
}

/** With a sign in front: colour is not the only one. */
export function courseText({ change }: Pick<Course, 'change'>): string {
  if (change === 0) return '= the same'
  return change > 0 ? `▲ ${numberText(change)} more` : `▼ ${numberText(-change)} fewer`
}
