import { sanitise } from '../sanitise.ts'
import { sha256 } from '../sha256.ts'

/** Letters and digits as in a UUID, a ULID or an order number. Names of people have no digits, addresses have an "@". */
const idLike = /^(?=.*\d)[A-Za-z0-9._:-]{1,128}$/
const nothing = { body: null, headers: [] }

/** Producers choose correlation ids and may put anything there; what does not look like an id is shown as its hash. */
export function shownCorrelationId(id: string): string {
  if (idLike.test(id) && sanitise(id, 'Error', nothing) === id) return id
  return `sha256:${sha256(id).slice(0, 16)}`
}

/** Enough to find the way into the logs. */
export const mostCorrelationIds = 5
