import type { Command } from 'commander'
import { visibleJson } from '../../core/visible.ts'
import { exitCodes } from '../exit-codes.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import { shown, type Terminal } from '../terminal.ts'

const verbs = {
  pause: {
    summary: 'takes no more from a channel, until it is resumed',
    description:
      'All consumers of a service take no more from a channel; what they have in hand they finish. Each hears it with its next report, also one that is started later.',
  },
  resume: {
    summary: 'goes on with a channel',
    description: 'All consumers of a service go on with a channel, and take an outage for over where their breaker is open.',
  },
} as const

export function addSteering(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  for (const verb of ['pause', 'resume'] as const) {
    planeCommand(parent, verb)
      .argument('<service>', 'whose channel, as redrive consumers lists it')
      .argument('<channel>', 'the channel')
      .summary(verbs[verb].summary)
      .description(verbs[verb].description)
      .addHelpText('after', `\nExamples:\n  redrive consumers ${verb} billing invoices.created`)
      .action(async (service: string, channel: string, options: PlaneOptions) =>
        end(
          await atDesk(options, terminal, async ({ plane, by }) => {
            const order = await plane.consumers[verb]({ service, channel }, by)
            const told = `${channel} of ${service} is told to ${verb}, by ${order.actor}`
            terminal.out(options.json ? `${visibleJson(order)}\n` : `${shown(told)}\n`)
            return exitCodes.done
          }),
        ),
      )
  }
}
