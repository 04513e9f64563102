import { commonMeanings, createServerErrors, type ServerErrors } from '../../platform/postgres/server-errors.ts'

/** What the server's codes mean to a vault. */
export const vaultErrors: ServerErrors = createServerErrors(
  [
    ['RDH01', { code: 'conflict', advice: 'Another control plane has taken over this vault; nothing was written.' }],
    ['RDH02', { code: 'store-newer', advice: 'The tables no longer have what this version of Redrive uses: upgrade it.' }],
    ['42501', { code: 'access-denied', advice: 'The user lacks a right; docs/vault.md lists those that it needs.' }],
    ['25006', { code: 'store-readonly', advice: 'The server is read-only: connect to the primary.' }],
    ['53100', { code: 'store-full', advice: 'The disk of the server is full; make room.' }],
    ['40', { code: 'refused', advice: 'Somebody else was quicker; nothing was written.' }],
    ...commonMeanings,
    // Neither has to do with what was to be written: it is worth another try as it is.
    ['53', { code: 'refused', advice: 'The server is short of memory or something else; nothing was written.' }],
    ['58', { code: 'refused', advice: 'The server could not use its disk; nothing was written.' }],
  ],
  { code: 'store-failed', advice: 'It was rolled back.' },
)
