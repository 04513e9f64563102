import { type Command, Option } from 'commander'
import { visibleJson } from '../../core/visible.ts'
import type { Alerts } from '../../ops/control-plane.ts'
import { atLeastOne, wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import type { Column } from '../output/table.ts'
import { age } from '../output/times.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'

type Delivery = Awaited<ReturnType<Alerts['redeliver']>>

interface SentOptions extends PlaneOptions, ListOptions {
  readonly state?: Delivery['state']
  readonly limit: number
}

export function addSent(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'sent')
    .summary('lists what people were told, and what did not reach them')
    .description('Lists what people were told, the newest first. A dead one was given up.')
    .addOption(new Option('--state <state>', 'only these').choices(['waiting', 'sent', 'collapsed', 'dead']))
    .option('--limit <n>', 'at most so many', atLeastOne, 50)
    .option(...jsonlOption)
    .addHelpText('after', '\nExamples:\n  redrive alerts sent --state dead')
    .action(async (options: SentOptions) =>
      end(
        await atDesk(options, terminal, async ({ plane }) => {
          const { state, limit } = options
          const found = (await plane.alerts.deliveries({ limit, ...(state && { state }) })).map(shownDelivery)
          printList('deliveries', found, columnsAt(terminal.clock.now()), options, terminal)
          if (found.length === 0 && !options.json && !options.jsonl) terminal.out('nothing\n')
          return exitCodes.done
        }),
      ),
    )
}

export function addRedeliver(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'redeliver')
    .argument('<id>', 'its number, as redrive alerts sent lists it', wholeNumber)
    .summary('tries once more to tell what was given up')
    .description('Tries once more to tell what was given up.')
    .action(async (id: number, options: PlaneOptions) =>
      end(
        await atDesk(options, terminal, async ({ plane, by }) => {
          const again = shownDelivery(await plane.alerts.redeliver(id, by))
          terminal.out(options.json ? `${visibleJson(again)}\n` : `delivery ${id} waits to be sent again\n`)
          return exitCodes.done
        }),
      ),
    )
}

/** A server tells what of the notification a list needs; a vault holds all of it. */
interface ShownDelivery extends Pick<Delivery, 'id' | 'sink' | 'state' | 'stateSince' | 'attempts' | 'problem'> {
  readonly reason: string
  readonly subject: string
}

function shownDelivery(delivery: Delivery | ShownDelivery): ShownDelivery {
  const { reason, subject } = 'notification' in delivery ? delivery.notification : delivery
  const { id, sink, state, stateSince, attempts, problem } = delivery
  return { id, sink, state, stateSince, attempts, problem, reason, subject }
}

function columnsAt(now: number): readonly Column<ShownDelivery>[] {
  return [
    { head: 'ID', cell: ({ id }) => id, align: 'right' },
    { head: 'TO', cell: ({ sink }) => sink },
    {
      head: 'STATE',
      cell: ({ state }) => state,
      style: ({ state }) => (state === 'dead' ? 'red' : state === 'waiting' ? 'yellow' : 'green'),
    },
    { head: 'SINCE', cell: ({ stateSince }) => age(stateSince, now), align: 'right' },
    { head: 'TRIES', cell: ({ attempts }) => attempts, align: 'right' },
    { head: 'WHY', cell: ({ reason }) => reason },
    { head: 'SAYS', cell: ({ subject }) => subject, gives: true },
    { head: 'PROBLEM', cell: ({ problem }) => problem, gives: true },
  ]
}
