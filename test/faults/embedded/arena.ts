import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { embedded } from '../../../src/transports/embedded/embedded.ts'
import { faultChannels, numberIn } from '../messages.ts'
import type { Arena, FoundLetter } from '../subjects.ts'

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
  const contents = observer.prepare(`SELECT envelope, body FROM contents WHERE id IN (SELECT queue.id ${inChannel}) ORDER BY id`)
  const held = observer.prepare(
    `SELECT contents.id, ready_at, body FROM contents JOIN queue USING (id) WHERE held = 1 AND id IN (SELECT queue.id ${inChannel})`,
  )
  const told = new Set<string>()

  /** Every claim sets another end of the lease, so with it each hand-out has a name of its own. Fences rise without a hand-out, too. */
  function isNew(row: Readonly<Record<string, unknown>>): boolean {
    const name = `${row['id']} ${row['ready_at']}`
    return !told.has(name) && told.add(name).has(name)
  }

  return {
    connection: file,
    folder,
    hold: 500,
    async send(messages) {
      await Promise.all(messages.map((message) => transport.send({ name: work }, message)))
    },
    left: async () => Number(count.get(work)?.['n']),
    bodies: async (channel) => contents.all(channel).map((row) => row['body'] as Uint8Array | null),
    letters: async (channel) => contents.all(channel).map(letterIn),
    inHand: async () =>
      held
        .all(work)
        .filter(isNew)
        .map((row) => numberIn(row['body'] as Uint8Array | null))
        .filter((number) => number !== undefined),
    async close() {
      observer.close()
      await transport.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The envelope is a list in JSON whose seventh member holds the headers. */
function letterIn(row: Readonly<Record<string, unknown>>): FoundLetter {
  const headers = (JSON.parse(String(row['envelope'])) as unknown[])[6] as readonly [string, unknown][]
  const reason = headers.find(([name]) => name === 'redrive-reason')?.[1]
  return { body: row['body'] as Uint8Array | null, ...(typeof reason === 'string' && { reason }) }
}
