import { visibleJson } from '../../core/visible.ts'
import type { SendOutcome } from '../../outgoing/send-outcome.ts'
import { exitCodes } from '../exit-codes.ts'
import { shown, type Terminal } from '../terminal.ts'

/** Says what became of a test, and how the command ends. */
export function tellOutcome(outcome: SendOutcome, target: string, isJson: boolean, terminal: Terminal): number {
  const isSent = outcome.kind === 'sent'
  if (isJson) terminal.out(`${visibleJson(isSent ? { sent: true } : { sent: false, problem: outcome.why })}\n`)
  else terminal.out(isSent ? `${shown(target)} took the test.\n` : `The test did not arrive. ${shown(outcome.why)}.\n`)
  return isSent ? exitCodes.done : exitCodes.findings
}
