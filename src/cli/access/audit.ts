import type { Command } from 'commander'
import { RedriveError } from '../../core/errors.ts'
import { visibleJson } from '../../core/visible.ts'
import type { AuditReading, NotedRow } from '../../ops/access/access.ts'
import { atLeastOne, wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import { paintFor } from '../output/paint.ts'
import type { Column } from '../output/table.ts'
import { many, timestamp } from '../output/times.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'

export function addAudit(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const audit = parent
    .command('audit')
    .summary('shows who did what; verifies that nobody changed that')
    .description('The audit trail: every change, every look at a payload and every refusal, in rows that are chained by hashes.')
    .addHelpText('after', '\nExamples:\n  redrive audit --limit 20\n  redrive audit verify')
  addList(audit, terminal, end)
  addVerify(audit, terminal, end)
}

interface AuditOptions extends PlaneOptions, ListOptions {
  readonly limit: number
  readonly before?: number
}

function addList(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'list', { isDefault: true })
    .summary('lists it, the newest first (what happens without a command)')
    .description('Lists the audit trail, the newest first.')
    .option('--limit <n>', 'at most so many', atLeastOne, 50)
    .option('--before <seq>', 'only those with a smaller number: the next page', wholeNumber)
    .option(...jsonlOption)
    .addHelpText('after', '\nExamples:\n  redrive audit\n  redrive audit --limit 1000 --jsonl')
    .action(async (options: AuditOptions) =>
      end(
        await atDesk(options, terminal, async ({ access }) => {
          const { limit, before } = options
          const rows = await newest(access.audit, limit, before)
          printList('rows', rows, columns, options, terminal)
          const isForPeople = !options.json && !options.jsonl
          if (isForPeople && rows.length === 0) terminal.out('nothing was noted\n')
          const last = rows.at(-1)?.seq ?? 1
          if (isForPeople && last > 1) terminal.out(paintFor(terminal)('dim', `there are more: --before ${last}\n`))
          return rows.length === 0 ? exitCodes.nothing : exitCodes.done
        }),
      ),
    )
}

async function newest(audit: AuditReading, limit: number, before: number | undefined): Promise<readonly NotedRow[]> {
  const found: NotedRow[] = []
  for (let from = before; ; ) {
    const { rows, next } = await audit.list({ limit: limit - found.length, ...(from !== undefined && { before: from }) })
    found.push(...rows)
    if (next === undefined || found.length >= limit) return found
    from = next
  }
}

const columns: readonly Column<NotedRow>[] = [
  { head: 'SEQ', cell: ({ seq }) => seq, align: 'right' },
  { head: 'AT', cell: ({ at }) => timestamp(at) },
  { head: 'WHO', cell: ({ actor }) => actor },
  { head: 'FROM', cell: ({ address }) => address },
  { head: 'ACTION', cell: ({ action }) => action },
  {
    head: 'RESULT',
    cell: ({ result }) => result,
    style: ({ result }) => (result === 'denied' || result === 'failed' ? 'yellow' : undefined),
  },
  { head: 'ON', cell: ({ object }) => object, gives: true },
  { head: 'DETAIL', cell: ({ detail }) => JSON.stringify(detail), gives: true },
]

interface VerifyOptions extends PlaneOptions {
  readonly seq?: number
  readonly hash?: string
}

function addVerify(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'verify')
    .summary('recomputes the chain, and names the first row that does not fit')
    .description(
      'Recomputes the chain of hashes. Whoever can write the file can write a new chain: keep the number and the hash that this prints somewhere else, and give them the next time.',
    )
    .option('--seq <n>', 'a row that somebody kept', atLeastOne)
    .option('--hash <hash>', 'the hash of that row, as it was kept')
    .addHelpText('after', '\nExamples:\n  redrive audit verify\n  redrive audit verify --seq 1204 --hash 9f86d081…')
    .action(async (options: VerifyOptions) =>
      end(
        await atDesk(options, terminal, async ({ access }) => {
          const verdict = await access.audit.verify(expectedOf(options))
          terminal.out(options.json ? `${visibleJson(verdict)}\n` : told(verdict))
          return verdict.bad ? exitCodes.findings : exitCodes.done
        }),
      ),
    )
}

function expectedOf({ seq, hash }: VerifyOptions): { readonly seq: number; readonly hash: string } | undefined {
  if ((seq === undefined) !== (hash === undefined)) throw new RedriveError('bad-option', '--seq and --hash belong together.')
  return seq === undefined || hash === undefined ? undefined : { seq, hash }
}

const reasons = {
  changed: 'it was changed',
  missing: 'it is missing',
  'not-the-one-expected': 'it is not the one that was kept',
} as const

function told({ rows, head, bad }: Awaited<ReturnType<AuditReading['verify']>>): string {
  if (bad) return `row ${bad.seq} does not fit: ${reasons[bad.because]}\n${many(rows, 'row')} before it fit\n`
  return `${many(rows, 'row')} fit\nkeep this elsewhere: --seq ${rows} --hash ${head}\n`
}
