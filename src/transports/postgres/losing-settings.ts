import type { Connections } from '../../platform/postgres/connections.ts'

export interface LosingSetting {
  readonly setting: string
  readonly severity: 'warning'
  readonly what: string
  readonly message: string
}

/** Settings under which the server confirms what it may lose. */
const settings: readonly LosingSetting[] = [
  {
    setting: 'synchronous_commit',
    severity: 'warning',
    what: 'synchronous-commit-off',
    message:
      'synchronous_commit is off: a crash of the server loses what it confirmed just before. Turn it on for this user or database.',
  },
  {
    setting: 'fsync',
    severity: 'warning',
    what: 'fsync-off',
    message: 'fsync is off: a power failure may destroy the whole database. Turn it on.',
  },
  {
    setting: 'full_page_writes',
    severity: 'warning',
    what: 'full-page-writes-off',
    message: 'full_page_writes is off: a power failure may leave pages half written. Turn it on.',
  },
]

/** As they are for this user, whoever set them: the server, the database or the role. */
export async function losingSettings({ ask }: Pick<Connections, 'ask'>): Promise<readonly LosingSetting[]> {
  const names = settings.map(({ setting }) => setting)
  const rows = await ask<{ name: string }>("SELECT name FROM pg_settings WHERE name = ANY ($1) AND setting = 'off'", [names])
  return settings.filter(({ setting }) => rows.some(({ name }) => name === setting))
}
