import type { Command } from 'commander'
import { atLeastOne, filterArgument, wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import { paintFor, styleOfState } from '../output/paint.ts'
import type { Column } from '../output/table.ts'
import { age, many } from '../output/times.ts'
import { atDesk, type Desk, type Letter, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'
import { failureOf } from './failure-text.ts'

interface LettersOptions extends PlaneOptions, ListOptions {
  readonly limit: number
  readonly before?: number
  readonly all?: boolean
}

const page = 1000

export function addLetters(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'letters')
    .argument(...filterArgument)
    .summary('lists dead letters, the newest first')
    .description('Lists dead letters, the newest first. Never shows what is in them.')
    .option('--limit <n>', 'at most so many', atLeastOne, 50)
    .option('--before <id>', 'only those with a smaller id: the next page', wholeNumber)
    .option('--all', 'all of them, however many')
    .option(...jsonlOption)
    .addHelpText(
      'after',
      '\nA filter that begins with a minus stands after --, and a phrase keeps its own quotes.' +
        '\n\nExamples:\n  redrive letters\n  redrive letters state:open channel:orders.* age\\>1h\n  redrive letters \'"card declined"\'' +
        '\n  redrive letters -- -state:discarded\n  redrive letters state:unknown --all --jsonl | jq .id',
    )
    .action(async (filter: readonly string[], options: LettersOptions) =>
      end(await atDesk(options, terminal, (desk) => list(filter.join(' '), desk, options))),
    )
}

async function list(filter: string, desk: Desk, options: LettersOptions): Promise<number> {
  const { plane, terminal } = desk
  const sources = new Map((await plane.sources()).map(({ source }) => [source.id, source.channel]))
  const { letters, next } = await find(filter, desk, options)
  const rows = letters.map((letter) => ({ ...letter, sourceChannel: sources.get(letter.source) ?? null }))
  printList('letters', rows, columnsFor(rows, terminal.clock.now()), options, terminal, { next: next ?? null })
  const isForPeople = !options.json && !options.jsonl
  if (isForPeople && letters.length === 0) terminal.out(filter === '' ? 'no letters\n' : 'no letter matches the filter\n')
  if (isForPeople && next !== undefined) {
    terminal.out(paintFor(terminal)('dim', `${many(letters.length, 'letter')}; there are more: --before ${next}, or --all\n`))
  }
  return letters.length === 0 ? exitCodes.nothing : exitCodes.done
}

async function find(
  filter: string,
  { plane }: Desk,
  { limit, before: first, all }: LettersOptions,
): Promise<{ readonly letters: readonly Letter[]; readonly next?: number }> {
  const found: Letter[] = []
  for (let before = first; ; ) {
    const size = all ? page : Math.min(page, limit - found.length)
    const { letters, next } = await plane.letters.find({ filter, limit: size, ...(before !== undefined && { before }) })
    found.push(...letters)
    if (next === undefined) return { letters: found }
    if (!all && found.length >= limit) return { letters: found, next }
    before = next
  }
}

type Row = Letter & { readonly sourceChannel: string | null }

/** What the broker drops is a column only where there is such a letter. */
function columnsFor(rows: readonly Row[], now: number): readonly Column<Row>[] {
  const drops: Column<Row> = { head: 'BROKER KEEPS', cell: ({ brokerDropsAt: at }) => keptFor(at, now), align: 'right' }
  return [
    { head: 'ID', cell: ({ id }) => id, align: 'right' },
    { head: 'AGE', cell: ({ failedAt }) => age(failedAt, now), align: 'right' },
    { head: 'STATE', cell: ({ state }) => state, style: ({ state }) => styleOfState(state) },
    { head: 'SOURCE', cell: ({ sourceChannel }) => sourceChannel, gives: true },
    { head: 'CHANNEL', cell: ({ channel }) => channel, gives: true },
    { head: 'ERROR', cell: failureOf, gives: true },
    { head: 'CORRELATION', cell: ({ correlationId }) => correlationId, gives: true },
    ...(rows.some(({ brokerDropsAt }) => brokerDropsAt !== null) ? [drops] : []),
  ]
}

function keptFor(dropsAt: number | null, now: number): string | null {
  if (dropsAt === null) return null
  return dropsAt <= now ? 'gone?' : age(now, dropsAt)
}
