import type { Command } from 'commander'
import { RedriveError } from '../core/errors.ts'
import { exitCodes } from './exit-codes.ts'
import { type FileOptions, fileOption, openTopology } from './open-topology.ts'
import type { Terminal } from './terminal.ts'

interface ExportOptions extends FileOptions {
  readonly format: string
  readonly brokerVersion?: string
}

export function addTopologyExport(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  parent
    .command('export')
    .summary('prints the topology for other tools')
    .description(
      'Prints what apply would create, for tools that create it: RabbitMQ definitions or Terraform, or commands for Kafka.',
    )
    .option(...fileOption)
    .option(
      '--format <format>',
      'definitions (RabbitMQ, JSON), terraform (provider cyrilgdn/rabbitmq) or commands (Kafka)',
      'definitions',
    )
    .option('--broker-version <version>', 'the version of the broker it is for; without it, the broker is asked')
    .addHelpText(
      'after',
      '\nExamples:\n  redrive topology export --broker-version 4.0 > definitions.json' +
        '\n  redrive topology export --format terraform > topology.tf',
    )
    .action(async (options: ExportOptions) => end(await exportTopology(options, terminal)))
}

async function exportTopology(options: ExportOptions, terminal: Terminal): Promise<number> {
  const { file, tools, wanted, transport } = await openTopology(options, terminal)
  await transport.close()
  if (!tools.formats.includes(options.format))
    throw new RedriveError(
      'bad-option',
      `--format is ${JSON.stringify(options.format)}. Allowed for transport "${file.transport}": ${tools.formats.join(', ') || 'none'}.`,
    )
  terminal.out(await tools.export(file.connection, wanted, options.format, options.brokerVersion))
  return exitCodes.done
}
