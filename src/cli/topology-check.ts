import type { Command } from 'commander'
import { type FileOptions, fileOption, jsonOption, openTopology } from './open-topology.ts'
import { entryOf, print } from './report.ts'
import type { Terminal } from './terminal.ts'

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
    .action(async (options: FileOptions) => end(await check(options, terminal)))
}

async function check(options: FileOptions, terminal: Terminal): Promise<number> {
  const { file, transport, wanted } = await openTopology(options, terminal)
  try {
    const findings = await transport.provision(wanted, 'check')
    const report = { command: 'topology check', transport: file.transport, entries: findings.map(entryOf) }
    return print(report, terminal, options.json === true)
  } finally {
    await transport.close()
  }
}
