import type { Command } from 'commander'
import { type FileOptions, fileOption, jsonOption } from './open-topology.ts'
import type { Terminal } from './terminal.ts'
import { provision } from './topology-provision.ts'

export function addTopologyApply(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  parent
    .command('apply')
    .summary('creates what is missing; never deletes or alters')
    .description('Creates what is missing on the broker and prints what it made. It never deletes or alters anything.')
    .option(...fileOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      '\nExit code: 0 all is as wanted now, 1 a difference remains that only a person may resolve, 2 it could not be done.' +
        '\n\nExamples:\n  redrive topology apply\n  RABBITMQ_URL=amqp://… redrive topology apply --file deploy/topology.json',
    )
    .action(async (options: FileOptions) => end(await provision('apply', options, terminal)))
}
