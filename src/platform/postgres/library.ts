import { RedriveError } from '../../core/errors.ts'

/** What we use of the client library. */
export type Pg = Pick<typeof import('pg'), 'Client' | 'Pool'>

/** Loaded on first use, so that nobody needs it who does not use PostgreSQL. */
export async function loadPg(): Promise<Pg> {
  try {
    return (await import('pg')).default
  } catch (cause) {
    throw new RedriveError('missing-library', 'PostgreSQL needs the package pg. Install it with: npm install pg@8', { cause })
  }
}
