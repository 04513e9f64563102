/**
 * What one call does on the server is one function, and one function is one transaction: a batch of any size costs one round trip.
 * Time is the server's, so clocks of consumers may differ.
 *
 * Plans are pinned to the indexes: a plan that was made while a table was empty would read all of it when it has a million rows.
 */
export const pinned = 'SET search_path FROM CURRENT SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off'

/** A hundred years: beyond it a timestamp overflows sooner than anybody waits. */
export const later = (ms: string): string => `clock_timestamp() + least(${ms}, 3e12) * interval '1 millisecond'`
export const readyAfter = (ms: string): string => `CASE WHEN ${ms} > 0 THEN ${later(ms)} ELSE '-infinity' END`
