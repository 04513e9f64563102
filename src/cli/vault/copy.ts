import { resolve } from 'node:path'
import type { Command } from 'commander'
import { isServerUrl } from '../../core/vault-place.ts'
import { visibleJson } from '../../core/visible.ts'
import { type ComparedTable, type CopyOutcome, isEqual, isWhole } from '../../vault/copy/outcome.ts'
import { shownVault } from '../../vault/open-vault.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonOption } from '../open-topology.ts'
import { type Column, tableOf } from '../output/table.ts'
import { many } from '../output/times.ts'
import type { Terminal } from '../terminal.ts'
import { rowProgress } from './row-progress.ts'

interface CopyOptions {
  readonly json?: boolean
}

export function addVaultCopy(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  parent
    .command('copy')
    .argument('<from>', 'the vault that is copied: a file, or postgres://…')
    .argument('<to>', 'one that is empty or not there yet, or that an earlier run of the same command began')
    .summary('copies everything that a vault holds into another one')
    .description(
      'Copies everything that a vault holds into another one, in a file or on PostgreSQL, and compares both row by row when it is done. No control plane may run on either; nobody can write to the source meanwhile.',
    )
    .option(...jsonOption)
    .addHelpText(
      'after',
      `
A copy that was ended in any way goes on when the same command is run again. Until it is whole, nothing else uses the target.
Letters that are sealed are copied as they are, without their keys; whoever opens the copy needs the same ones.
A password need not stand in the url: PGPASSWORD in the environment is what the client library takes.

Examples:
  redrive vault copy vault.db postgres://redrive@db:5432/redrive
  redrive vault copy postgres://redrive@db:5432/redrive copy.db --json`,
    )
    .action(async (from: string, to: string, options: CopyOptions) => end(await copy(from, to, options, terminal)))
}

async function copy(from: string, to: string, { json }: CopyOptions, terminal: Terminal): Promise<number> {
  const placeOf = (written: string): string => (isServerUrl(written) ? written : resolve(terminal.folder, written))
  const [source, target] = [placeOf(from), placeOf(to)]
  // Only here: every other command starts without a database to load.
  const { copyBetween } = await import('../../vault/copy/open-copy.ts')
  const begun = terminal.clock.monotonic()
  const progress = rowProgress(terminal)
  const outcome = await copyBetween(source, target, progress.show).finally(() => progress.end())
  const seconds = (terminal.clock.monotonic() - begun) / 1000
  if (json) terminal.out(`${visibleJson({ from: shownVault(source), to: shownVault(target), ...described(outcome), seconds })}\n`)
  else tell(outcome, seconds, terminal)
  return isWhole(outcome) ? exitCodes.done : exitCodes.findings
}

function described({ copied, before, tables, sealedBy }: CopyOutcome): object {
  return {
    whole: isWhole({ tables }),
    copied,
    before,
    sealedBy,
    tables: tables.map((each) => ({ ...each, equal: isEqual(each) })),
  }
}

function tell(outcome: CopyOutcome, seconds: number, terminal: Terminal): void {
  const { copied, before, tables, sealedBy } = outcome
  terminal.out(tableOf(columns, tables, terminal))
  const earlier = before > 0 ? `, ${before.toLocaleString('en-US')} before` : ''
  terminal.out(`${many(copied, 'row')} copied${earlier}, in ${seconds.toFixed(1)} s\n`)
  const names = tables.filter((each) => !isEqual(each)).map((each) => each.table)
  const verdict = isWhole(outcome)
    ? 'The copy holds what the source holds: every table has the same rows.'
    : `The copy differs in ${names.join(', ')}, and is not used as a vault. The same command copies these tables anew.`
  terminal.out(`${verdict}\n`)
  if (sealedBy.length > 0) terminal.out(`Its letters are sealed: to open them, the copy needs the keys ${sealedBy.join(', ')}.\n`)
}

const columns: readonly Column<ComparedTable>[] = [
  { head: 'TABLE', cell: (each) => each.table },
  { head: 'ROWS', cell: ({ source }) => source.rows, align: 'right' },
  { head: 'IN THE COPY', cell: ({ target }) => target.rows, align: 'right' },
  { head: 'HASH', cell: ({ source }) => source.hash.slice(0, 16) },
  {
    head: 'EQUAL',
    cell: (each) => (isEqual(each) ? 'yes' : 'NO'),
    style: (each) => (isEqual(each) ? undefined : 'red'),
  },
]
