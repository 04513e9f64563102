import type { Command } from 'commander'
import { type FileOptions, fileOption, jsonOption } from './open-topology.ts'
import type { Terminal } from './terminal.ts'
import { provision } from './topology-provision.ts'

export function addTopologyCheck(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  parent
    .command('check')
    .summary('names every difference between the file and the broker')
    .description('Names every difference between the topology file and the broker, and changes nothing.')
    .option(...fileOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      '\nExit code: 0 clean, 1 something is fatal, missing or warned about, 2 the broker could not be asked.' +
        '\nWhat cannot be seen is listed as unknown, and does not count.' +
        '\n\nExamples:\n  redrive topology check\n  redrive topology check --file deploy/topology.json --json',
    )
    .action(async (options: FileOptions) => end(await provision('check', options, terminal)))
}
