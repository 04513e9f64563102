import { type DialectReader, failureOf } from '../reading.ts'

/** A row: what its job gave back last stands in `output`, an error with its name and stack among it. */
export const pgBoss: DialectReader = {
  name: 'pg-boss',
  producer: 'pg-boss',
  confidence: 'likely',
  signs: ['source_name', 'sourceName'],
  headers: [
    'source_name',
    'source_id',
    'source_created_on',
    'source_retry_count',
    'sourceName',
    'sourceId',
    'sourceCreatedOn',
    'sourceRetryCount',
  ],
  read(letter) {
    const output = letter.table('output')
    const retries = letter.count('source_retry_count', 'sourceRetryCount')
    const position = letter.text('source_id', 'sourceId')
    // The name alone may mean anything.
    if (retries === undefined && position === undefined && !letter.has('output')) return undefined
    return failureOf({
      source: { channel: letter.text('source_name', 'sourceName'), position },
      errorType: output?.text('name'),
      errorMessage: output?.text('message') ?? letter.text('output'),
      stack: output?.text('stack'),
      attempts: retries === undefined ? undefined : retries + 1,
      firstSeenAt: letter.time('source_created_on', 'sourceCreatedOn'),
    })
  },
}
