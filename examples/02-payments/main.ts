import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedriveError } from '../../src/redrive.ts'
import { openTransport } from '../../src/transports/registry.ts'
import { help, type Options, readOptions } from './options.ts'
import { runPayments } from './payments.ts'
import { createScreen } from './screen.ts'

/** Everything a person may have got wrong is said in one line; only what nobody foresaw shows its stack. */
try {
  const options = readOptions(process.argv.slice(2))
  if (options) await run(options)
  else console.log(help)
} catch (error) {
  console.error(error instanceof RedriveError ? `${error.message}\nTry --help.` : error)
  process.exitCode = error instanceof RedriveError ? 2 : 1
}

async function run(options: Options): Promise<void> {
  const folder = options.transport === 'embedded' && options.file === undefined ? temporaryFolder() : undefined
  const file = folder === undefined ? options.file : join(folder, 'payments.db')
  const { url, adminUrl } = options
  const where = {
    ...(file !== undefined && { file }),
    ...(url !== undefined && { url, bootstrapServers: url }),
    ...(adminUrl !== undefined && { adminEndpoint: adminUrl }),
  }
  const transport = await openTransport(options.transport, { ...where, groupId: 'payments' })
  const screen = createScreen(process.stdout)
  screen.log('start', `${options.transport}${file === undefined ? '' : ` in ${file}`}, seed ${options.seed}; Ctrl-C stops`)
  try {
    await runPayments({ ...options, transport, screen, signal: stopSignal(), run: randomBytes(2).toString('hex') })
  } finally {
    await transport.close()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'redrive-payments-'))
}

/** The first Ctrl-C stops in order; a second one ends the process as the system does it. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
  return stopping.signal
}
