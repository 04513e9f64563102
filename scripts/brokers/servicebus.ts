import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ask } from './probe.ts'
import type { Installation, Prepared, Recipe } from './recipe.ts'

const program = fileURLToPath(new URL('../../test/servicebus/server.program.ts', import.meta.url))
/** Says that the client wants to speak AMQP 1.0 with SASL; the server says the same. */
const greeting = Buffer.from('AMQP\x03\x01\x00\x00', 'latin1')
/** A setting: when it is killed, the server forgets messages that it confirmed. */
const forgetful = 'forgets messages'

/** No broker but our own test server, which is here with the checkout: Microsoft's cannot be run everywhere. */
export const servicebus: Recipe = {
  name: 'servicebus',
  urlVariable: 'REDRIVE_SERVICEBUS_CONNECTION',
  versions: ['test'],
  install: async () => {},
  find: (version): Installation => ({ version, ports: 2, prepare }),
}

async function prepare(folder: string, ports: readonly number[], settings: readonly string[]): Promise<Prepared> {
  const [port = 0, adminPort = 0] = ports
  const forgetsMessages = settings.includes(forgetful)
  const options = { port, adminPort, journal: join(folder, 'journal'), forgetsMessages }
  const server = {
    program: process.execPath,
    args: [program, JSON.stringify(options)],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    folder,
    log: join(folder, 'servicebus.log'),
  }
  const access = 'SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE'
  return {
    commands: [server],
    url: `Endpoint=sb://127.0.0.1:${port};${access};UseDevelopmentEmulator=true;`,
    managementUrl: `http://127.0.0.1:${adminPort}`,
    ready: async () => (await ask(port, greeting)).subarray(0, 4).toString() === 'AMQP',
  }
}
