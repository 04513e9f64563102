import { RedriveError } from '../../core/errors.ts'

/** What we use of the client library. */
export type Pg = Pick<typeof import('pg'), 'Client' | 'Pool' | 'Query'>

/** To import what is there already takes a tenth of a millisecond. */
let loaded: Pg | undefined

/** Loaded on first use, so that nobody needs it who does not use PostgreSQL. */
export async function loadPg(): Promise<Pg> {
  try {
    loaded ??= (await import('pg')).default
    return loaded
  } catch (cause) {
    throw new RedriveError('missing-library', 'PostgreSQL needs the package pg. Install it with: npm install pg@8', { cause })
  }
}
