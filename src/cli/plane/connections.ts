// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are placeholders that people write on the command line
import { RedriveError } from '../../core/errors.ts'
import { openTransport } from '../../transports/registry.ts'
import type { Transport } from '../../transports/seam.ts'
import { substitute } from '../environment.ts'
import type { Terminal } from '../terminal.ts'

export const connectionOption: readonly [flags: string, description: string] = [
  '--connection <name=transport:where>',
  'a broker that letters go back to, such as shop=rabbitmq:${RABBITMQ_URL}; may be repeated',
]

/** Each transport takes of `where` what it needs: a file, a URL, hosts. Nothing is connected yet. */
export async function openConnections(
  given: readonly string[],
  terminal: Terminal,
  opens: (transport: Transport) => void,
): Promise<ReadonlyMap<string, Transport>> {
  const opened = new Map<string, Transport>()
  for (const text of given) {
    const [, name = '', transport = '', raw = ''] = /^([^=:]+)=([^:]+):(.+)$/s.exec(text) ?? []
    if (name === '')
      throw new RedriveError('bad-option', '--connection needs name=transport:where, such as shop=embedded:queue.db.')
    if (opened.has(name)) throw new RedriveError('bad-option', `--connection ${name} stands there twice.`)
    const where = String(substitute(raw, terminal.environment, `--connection ${name}`))
    const connection = await openTransport(transport, { file: where, url: where, bootstrapServers: where })
    opens(connection)
    opened.set(name, connection)
  }
  return opened
}
