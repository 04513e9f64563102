/** What became of one try to tell somebody something. */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'failed'
      /** For the log: no secret, no answer of the other side. */
      readonly why: string
      /** Whether another try may help. */
      readonly retry: boolean
      /** Not before so many milliseconds, as the receiver asked. */
      readonly after?: number
    }

export const sent: SendOutcome = { kind: 'sent' }

export function notSent(why: string, retry: boolean, after?: number): SendOutcome {
  return { kind: 'failed', why, retry, ...(after !== undefined && { after }) }
}
