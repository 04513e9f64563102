import type { ArenaServer, Repair } from '../harness/arena-rows.ts'
import { faultChannels } from '../messages.ts'
import { type PostgresArena, postgresArena } from './arena.ts'

export function postgresServer(work: { readonly lanes: boolean }): ArenaServer<PostgresArena> {
  return {
    subject: 'postgres',
    openArena: (broker) => postgresArena(broker, work),
    graveFaults: {
      'dead-letter channel away, back later': withoutGrave,
      'dead-letter channel refuses every letter, until it takes them': withFullGrave,
    },
    beforeServerDies: freezeWalWriter,
    losingSettings: { name: 'synchronous_commit off, server killed', settings: ['synchronous_commit = off'] },
  }
}

/** Who writes down later what was confirmed before: only commits that are written down at once survive without it. */
async function freezeWalWriter({ sql }: PostgresArena): Promise<void> {
  const [writer] = await sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'")
  process.kill(Number(writer?.['pid']), 'SIGSTOP')
}

async function withoutGrave({ sql }: PostgresArena): Promise<Repair> {
  const rename = (from: string, to: string) => sql('UPDATE $schema.channels SET name = $2 WHERE name = $1', [from, to])
  await rename(faultChannels.deadLetter, 'away')
  return async () => void (await rename('away', faultChannels.deadLetter))
}

/** A row level that no letter passes: what a full disk, a quota or a trigger of somebody else looks like. */
async function withFullGrave({ sql }: PostgresArena): Promise<Repair> {
  const [grave] = await sql('SELECT id FROM $schema.channels WHERE name = $1', [faultChannels.deadLetter])
  await sql(`ALTER TABLE $schema.queue ADD CONSTRAINT full_grave CHECK (channel <> ${Number(grave?.['id'])}) NOT VALID`)
  return async () => void (await sql('ALTER TABLE $schema.queue DROP CONSTRAINT full_grave'))
}
