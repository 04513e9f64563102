import type { Command } from 'commander'
import type { ChannelStatus, ConsumerStatus } from '../../ops/control-plane.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import { paintFor, styleOfState } from '../output/paint.ts'
import { type Column, tableOf } from '../output/table.ts'
import { age, many } from '../output/times.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import { shown, type Terminal } from '../terminal.ts'
import { addForget } from './forget.ts'
import { addSteering } from './steer.ts'

export function addConsumers(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const consumers = parent
    .command('consumers')
    .summary('lists consumers that report; pauses and resumes their channels')
    .description(
      'Consumers that were given the address of the control plane report to it every few seconds. One that has missed three reports is unknown: it may have died, or only its network did.',
    )
    .addHelpText('after', '\nExamples:\n  redrive consumers\n  redrive consumers pause billing invoices.created')
  addList(consumers, terminal, end)
  addSteering(consumers, terminal, end)
  addForget(consumers, terminal, end)
}

function addList(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'list', { isDefault: true })
    .summary('lists them, with their channels (what happens without a command)')
    .description(
      'Lists consumers that have reported, with the state of their channels. Ends with 1 when one of them is unknown or has left letters on its disk.',
    )
    .option(...jsonlOption)
    .addHelpText('after', '\nExamples:\n  redrive consumers\n  redrive consumers --json')
    .action(async (options: PlaneOptions & ListOptions) =>
      end(
        await atDesk(options, terminal, async ({ plane }) => {
          const consumers = await plane.consumers.list()
          print(consumers, options, terminal)
          if (consumers.length === 0) return exitCodes.nothing
          return consumers.some(isWorrying) ? exitCodes.findings : exitCodes.done
        }),
      ),
    )
}

function isWorrying({ state, hasAbandonedSpool }: ConsumerStatus): boolean {
  return state === 'unknown' || hasAbandonedSpool
}

interface Row {
  readonly consumer: ConsumerStatus
  /** Absent for a consumer without channels. */
  readonly channel: ChannelStatus | undefined
}

/** Programs are given consumers with their channels; people a line for each channel. */
function print(consumers: readonly ConsumerStatus[], options: ListOptions, terminal: Terminal): void {
  if (options.json || options.jsonl) printList('consumers', consumers, [], options, terminal)
  else if (consumers.length === 0) terminal.out('no consumer has reported\n')
  else terminal.out(describe(consumers, terminal))
}

function describe(consumers: readonly ConsumerStatus[], terminal: Terminal): string {
  const table = tableOf(columnsAt(terminal.clock.now()), consumers.flatMap(rowsOf), terminal)
  const left = consumers
    .filter(({ hasAbandonedSpool }) => hasAbandonedSpool)
    .map(
      ({ id, service, instance, spooled }) =>
        `consumer ${id} (${service} ${instance}) is not there; on its disk wait: ${many(spooled, 'letter')}`,
    )
  return [table, ...left.map((line) => `${paintFor(terminal)('red', shown(line))}\n`)].join('')
}

function rowsOf(consumer: ConsumerStatus): readonly Row[] {
  return consumer.channels.length === 0
    ? [{ consumer, channel: undefined }]
    : consumer.channels.map((channel) => ({ consumer, channel }))
}

function columnsAt(now: number): readonly Column<Row>[] {
  return [
    { head: 'ID', cell: ({ consumer }) => consumer.id, align: 'right' },
    { head: 'SERVICE', cell: ({ consumer }) => consumer.service },
    { head: 'INSTANCE', cell: ({ consumer }) => consumer.instance, gives: true },
    { head: 'VERSION', cell: ({ consumer }) => consumer.version },
    { head: 'CONSUMER', cell: ({ consumer }) => consumer.state, style: ({ consumer }) => styleOfState(consumer.state) },
    { head: 'HEARD', cell: ({ consumer }) => age(consumer.lastAt, now), align: 'right' },
    { head: 'CHANNEL', cell: ({ channel }) => channel?.name, gives: true },
    {
      head: 'IS',
      cell: ({ channel }) => channel && stateOf(channel),
      style: ({ channel }) => styleOfState(channel?.state ?? ''),
    },
    { head: 'DONE', cell: ({ channel }) => channel?.counts.completed, align: 'right' },
    { head: 'DEAD', cell: ({ channel }) => channel?.counts.deadLettered, align: 'right' },
    { head: 'HELD', cell: ({ channel }) => channel && channel.held + channel.parked, align: 'right' },
    { head: 'SPOOLED', cell: ({ channel }) => channel && channel.spooled + channel.spoolAside, align: 'right' },
  ]
}

/** Who paused a channel is shown with it, and an order while it is not carried out. */
function stateOf({ state, order }: ChannelStatus): string {
  const isToPause = order?.order === 'pause'
  if (state !== 'paused') return isToPause ? `${state} (to pause)` : state
  return isToPause ? `paused (by ${order.actor})` : 'paused (by itself)'
}
