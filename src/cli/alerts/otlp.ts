import { resolve } from 'node:path'
import type { Command } from 'commander'
import { defaultConfigFile, readConfigFile } from '../../config/read-config.ts'
import { RedriveError } from '../../core/errors.ts'
import { gauge } from '../../core/metrics/metric-family.ts'
import { otlpOf } from '../plane/otlp.ts'
import type { Terminal } from '../terminal.ts'
import { tellOutcome } from './test-outcome.ts'

interface OtlpTestOptions {
  readonly config: string
  readonly json?: boolean
}

export function addOtlp(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const otlp = parent.command('otlp').description('Looks after the collector of OpenTelemetry that is told what is counted.')
  otlp
    .command('test')
    .summary('sends one count to the collector, and says what became of it')
    .description(
      'Sends the count redrive_test to the collector of the configuration, from this machine, and says what became of it.',
    )
    .option('--config <file>', 'the configuration that names it', defaultConfigFile)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExit code: 0 the collector took it, 1 it did not.\n\nExamples:\n  redrive otlp test\n  redrive otlp test --config /etc/redrive/redrive.yaml',
    )
    .action(async (options: OtlpTestOptions) => end(await test(options, terminal)))
}

async function test({ config, json }: OtlpTestOptions, terminal: Terminal): Promise<number> {
  const read = await readConfigFile(resolve(terminal.folder, config), terminal.environment)
  const one = gauge('redrive_test', 'Somebody tried whether counts arrive.', [{ labels: {}, value: 1 }])
  const push = otlpOf(read, { collect: () => [one], clock: terminal.clock, onProblem: () => {} })
  if (!push) throw new RedriveError('not-found', 'The configuration names no collector: it has no otlp.')
  const outcome = await push.push()
  await push.stop()
  return tellOutcome(outcome, push.health.target, json === true, terminal)
}
