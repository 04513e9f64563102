import type { Command } from 'commander'
import { type FileOptions, fileOption, jsonOption, openTopology, patientOf } from './open-topology.ts'
import { print } from './report.ts'
import type { Terminal } from './terminal.ts'

export function addDoctor(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  parent
    .command('doctor')
    .summary('asks the broker what could lose messages')
    .description('Asks the broker, and says what could lose messages or delay them, and what to do about it. It changes nothing.')
    .option(...fileOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      '\nExit code: 0 nothing was found, 1 something was, 2 the broker could not be asked.' +
        '\nWhat could not be asked is listed as unknown, never as fine.' +
        '\n\nExamples:\n  redrive doctor\n  redrive doctor --json',
    )
    .action(async (options: FileOptions) => end(await doctor(options, terminal)))
}

async function doctor(options: FileOptions, terminal: Terminal): Promise<number> {
  const opened = await openTopology(options, terminal)
  await opened.transport.close()
  const entries = await opened.tools.examine(opened.file.connection, patientOf(opened))
  return print({ command: 'doctor', transport: opened.file.transport, entries }, terminal, options.json === true)
}
