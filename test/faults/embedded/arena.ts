import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { embedded } from '../../../src/transports/embedded/embedded.ts'
import { faultChannels } from '../messages.ts'
import type { Arena } from '../subjects.ts'

/** One file in a folder of its own. The observer reads it with plain SQL, so that it shares no code with what it observes. */
export async function embeddedArena(parent: string = tmpdir()): Promise<Arena> {
  const folder = mkdtempSync(join(parent, 'redrive-faults-'))
  const file = join(folder, 'queue.db')
  const transport = embedded({ file })
  const { work, deadLetter, invalid } = faultChannels
  await transport.provision(
    {
      channels: [
        { address: { name: deadLetter }, role: 'dead-letter' },
        { address: { name: invalid }, role: 'invalid' },
        { address: { name: work }, role: 'work', deadLetterTo: { name: deadLetter }, lanes: true },
      ],
    },
    'apply',
  )
  const observer = new DatabaseSync(file, { readOnly: true })
  const inChannel = 'FROM queue JOIN channels ON channels.id = queue.channel WHERE channels.name = ?'
  const count = observer.prepare(`SELECT count(*) AS n ${inChannel}`)
  const bodies = observer.prepare(`SELECT body FROM contents WHERE id IN (SELECT queue.id ${inChannel}) ORDER BY id`)

  return {
    connection: file,
    folder,
    hold: 500,
    async send(messages) {
      await Promise.all(messages.map((message) => transport.send({ name: work }, message)))
    },
    left: async () => Number(count.get(work)?.['n']),
    bodies: async (channel) => bodies.all(channel).map((row) => row['body'] as Uint8Array | null),
    async close() {
      observer.close()
      await transport.close()
      rmSync(folder, { recursive: true })
    },
  }
}
