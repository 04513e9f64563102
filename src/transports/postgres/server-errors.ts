import { commonMeanings, createServerErrors, type ServerErrors } from '../../platform/postgres/server-errors.ts'

/** What the server's codes mean to a queue. */
export const queueErrors: ServerErrors = createServerErrors(
  [
    ['42P01', { code: 'unknown-channel', advice: 'The tables of the queue do not exist; provision first.' }],
    ['42883', { code: 'unknown-channel', advice: 'The functions of the queue do not exist; provision first.' }],
    ['3F000', { code: 'unknown-channel', advice: 'The schema of the queue does not exist; provision first.' }],
    ['42501', { code: 'access-denied', advice: 'The user lacks a right; docs/postgres.md lists those that it needs.' }],
    ['25006', { code: 'refused', advice: 'The server is read-only: connect to the primary.' }],
    ['53100', { code: 'refused', advice: 'The disk of the server is full; make room.' }],
    ['22021', { code: 'bad-message', advice: 'A text holds a character that the server cannot store.' }],
    ['22P05', { code: 'bad-message', advice: 'A text holds a character that the server cannot store.' }],
    ['54', { code: 'too-large', advice: 'It is larger than the server takes.' }],
    ...commonMeanings,
  ],
  { code: 'refused', advice: 'It was rolled back.' },
)
