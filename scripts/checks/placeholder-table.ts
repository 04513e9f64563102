import { placeholderRules } from '../../src/core/fingerprint/placeholders.ts'
import { table } from './generated-sections.ts'

/** What is taken out of a text before letters are grouped, in the order in which the rules are tried. */
export function placeholderTable(): string {
  return table(
    ['Replaced by', 'Why'],
    placeholderRules.map(({ kind, why }) => [`\`<${kind}>\``, why]),
  )
}
