import { hasCode } from '../../core/errors.ts'
import type { Connection } from './connection.ts'

export interface LosingSetting {
  readonly severity: 'warning' | 'unknown'
  readonly what: string
  readonly message: string
}

type Configuration = ReadonlyMap<string, string>

const rules: readonly (LosingSetting & { readonly isLosing: (configuration: Configuration) => boolean })[] = [
  {
    severity: 'warning',
    what: 'appendonly-off',
    message: 'appendonly is no: a crash of the server loses everything since its last snapshot. Set appendonly yes.',
    isLosing: (configuration) => configuration.get('appendonly') === 'no',
  },
  {
    severity: 'warning',
    what: 'appendfsync-not-always',
    message:
      'appendfsync is not always: a crash or a power failure loses what was confirmed just before. Set appendfsync always.',
    isLosing: (configuration) => configuration.get('appendonly') === 'yes' && configuration.get('appendfsync') !== 'always',
  },
  {
    severity: 'warning',
    what: 'maxmemory-evicts',
    message: 'maxmemory-policy evicts keys when memory is short, and a stream is one key. Set maxmemory-policy noeviction.',
    isLosing: (configuration) => (configuration.get('maxmemory-policy') ?? 'noeviction') !== 'noeviction',
  },
]

/** Many who run Redis for others let nobody ask. */
const unseen: LosingSetting = {
  severity: 'unknown',
  what: 'settings-unseen',
  message: 'The user may not ask for settings: make sure of appendfsync always and maxmemory-policy noeviction.',
}

/** Settings under which the server confirms what it may lose. */
export async function losingSettings({ ask }: Connection): Promise<readonly LosingSetting[]> {
  try {
    const names = ['appendonly', 'appendfsync', 'maxmemory-policy']
    const answer = (await ask('CONFIG', 'GET', ...names)) as readonly Buffer[]
    const pairs = names.map((name): [string, string] => [
      name,
      String(answer[answer.findIndex((each) => String(each) === name) + 1]),
    ])
    const configuration = new Map(pairs)
    return rules
      .filter(({ isLosing }) => isLosing(configuration))
      .map(({ severity, what, message }) => ({ severity, what, message }))
  } catch (error) {
    if (hasCode(error, 'access-denied') || hasCode(error, 'refused')) return [unseen]
    throw error
  }
}
