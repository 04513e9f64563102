import { type FileOptions, openTopology } from './open-topology.ts'
import { entryOf, print } from './report.ts'
import type { Terminal } from './terminal.ts'

/** Compares the file with the broker, or makes the broker like the file; prints what remains to be said and gives the exit code. */
export async function provision(mode: 'check' | 'apply', options: FileOptions, terminal: Terminal): Promise<number> {
  const { file, transport, wanted } = await openTopology(options, terminal)
  try {
    const findings = await transport.provision(wanted, mode)
    const report = { command: `topology ${mode}`, transport: file.transport, entries: findings.map(entryOf) }
    return print(report, terminal, options.json === true)
  } finally {
    await transport.close()
  }
}
