import { themes } from '../../src/transports/conformance/scenario.ts'
import type { ConformanceRecord, RecordedSubject } from './conformance-record.ts'
import { table } from './generated-sections.ts'

/** Theme × transport: how many sentences hold, and how many are refused because the broker cannot do it. */
export function conformanceMatrix({ scenarios, subjects }: ConformanceRecord): string {
  const rows = themes.map((theme) => {
    const own = scenarios.filter((sentence) => sentence.startsWith(`${theme}: `))
    return [theme, String(own.length), ...subjects.map((subject) => cell(own, subject))]
  })
  const total = ['all', String(scenarios.length), ...subjects.map((subject) => cell(scenarios, subject))]
  const dates = ['run on', '', ...subjects.map(({ date }) => date)]
  return table(['', 'sentences', ...subjects.map(({ label }) => label)], [...rows, total, dates])
}

function cell(sentences: readonly string[], { refuses, fails }: RecordedSubject): string {
  const count = (of: readonly string[]): number => sentences.filter((sentence) => of.includes(sentence)).length
  const [refused, failed] = [count(refuses), count(fails)]
  const parts = [`${sentences.length - refused - failed} ✓`, refused > 0 && `${refused} –`, failed > 0 && `${failed} ✗`]
  return parts.filter(Boolean).join(', ')
}
