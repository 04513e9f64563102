import { asksForHeaders, type Splits } from '../core/cause-routes.ts'
import type { FilterableLetter } from '../core/filter/matches-filter.ts'
import type { Headers } from '../core/message.ts'
import { present } from '../core/present.ts'

/** What a rule may look at, of a letter that comes and of one that is kept. */
export interface LastingFacts {
  readonly channel: string
  readonly dialect: string
  readonly reason?: string | null
  readonly errorType?: string | null
  readonly errorMessage?: string | null
  readonly type?: string | null
  readonly service?: string | null
  readonly version?: string | null
}

export interface SourceNames {
  readonly channel: string
  readonly connection: string
}

/** A letter as a rule sees it. Everything else about it is nobody's to ask, and stands here empty. */
export function judgedLetter(facts: LastingFacts, source: SourceNames, headers: Headers): FilterableLetter {
  const { channel, dialect, reason, errorType, errorMessage, type, service, version } = facts
  return {
    ...{ id: '', state: 'open', replays: [], size: 0, failed: 0, received: 0, hasNote: false },
    ...{ source: source.channel, connection: source.connection, channel, dialect, headers },
    texts: [reason, errorType, errorMessage].filter((text) => text !== null && text !== undefined),
    ...present({
      reason: reason ?? undefined,
      error: errorType ?? undefined,
      type: type ?? undefined,
      service: service ?? undefined,
      version: version ?? undefined,
    }),
  }
}

/** Whether any rule looks at headers, so that nobody reads contents without need. */
export function needHeaders(splits: Splits): boolean {
  return [...splits.values()].flat().some(({ rule }) => asksForHeaders(rule))
}
