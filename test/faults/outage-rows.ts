import { type OutageResult, outageRun } from './outage-run.ts'
import type { Arena } from './subjects.ts'

/** The dead-letter channel down by the clock. */
export interface OutageRow {
  readonly name: string
  /** A planted bug, whose standstill the observers must see. */
  readonly isTwin: boolean
  run(subject: string, arena: Arena): Promise<OutageResult>
}

/** None where the outage takes no time. */
export function outageRows(outage: number): readonly OutageRow[] {
  if (outage === 0) return []
  const answers = ['hold', 'spool'] as const
  const plant = 'takes nothing while a letter is refused'
  return [
    ...answers.map((answer) => ({
      name: `dead-letter channel down for ${outage / 1000} s, ${answer}`,
      isTwin: false,
      run: (subject: string, arena: Arena) => outageRun({ subject, answer, outage }, arena),
    })),
    {
      name: `  ${plant} (must stand still)`,
      isTwin: true,
      run: (subject, arena) => outageRun({ subject, answer: 'hold', outage, plant }, arena),
    },
  ]
}
