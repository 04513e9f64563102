/**
 * What a broker can do, as plain data: the planner, the conformance suite, the CLI, the docs and the dashboard read this one
 * object. A capability that is declared and not kept fails the suite; so does one that is kept and not declared.
 */
export interface Capabilities {
  /** What makes a delivery ours: a lock that expires, the connection, or the committed offset of a partition. */
  readonly hold: 'lock' | 'connection' | 'offset'
  /**
   * Who counts. `turns`: the transport, exactly; releases do not count and suspects come alone. `deliveries`: the broker counts
   * every hand-out, releases, native retries and what was only buffered included. `copies`: nobody but the header on a copy;
   * the broker only says "redelivered".
   */
  readonly counts: 'turns' | 'deliveries' | 'copies'
  readonly retry: {
    /**
     * `native`: the same message is delivered again, and later ones of its lane wait for it; so only where a lane is a single
     * key, never a partition of many. `copy`: a copy is sent, then the original is completed.
     */
    readonly by: 'native' | 'copy'
    /**
     * Whether `settle` takes a `retry`: the message keeps its place, and later ones of its key wait for it while others pass. Always
     * so where `by` is `native`. Where `by` is `copy`, it is what keeps order: a copy is overtaken.
     */
    readonly inPlace: boolean
    /** The longest delay in milliseconds; `Infinity` where there is no limit. */
    readonly maxDelay: number
    /** Whether a native retry can change headers. */
    readonly headers: boolean
  }
  readonly deadLetter: {
    /** Whether `reject` works: the broker moves the message by itself. */
    readonly native: boolean
    /** Whether the failure travels along with `reject`. */
    readonly carriesFailure: boolean
  }
  readonly move: 'atomic' | 'none'
  /** `cursor`: any page, no trace. `disturbing`: messages are taken and given back, which the broker may count or reorder. */
  readonly browse: 'cursor' | 'disturbing' | 'none'
  readonly remove: 'by-position' | 'none'
  /** What stays in order: messages of one key, or nothing. */
  readonly ordering: 'lane' | 'none'
  /** For how long `dedupId` is remembered, in milliseconds; 0 where it is not. */
  readonly deduplication: number
  /** The longest delay of a send, in milliseconds; 0 where a send cannot be delayed, `Infinity` where there is no limit. */
  readonly delayedSend: number
  /** Whether channels can have a time to live with expiry into the dead-letter channel. */
  readonly ttl: boolean
  readonly messages: {
    /** `typed`: every header value comes back as it was. `bytes`: as bytes. `text`: as text. */
    readonly headers: 'typed' | 'bytes' | 'text'
    /** Whether two headers may have the same name. */
    readonly repeatedHeaders: boolean
    /** Whether a null body stays apart from an empty one. */
    readonly tombstones: boolean
    /** Whether any bytes survive, or only text. */
    readonly binary: boolean
    /** Bytes; `Infinity` where there is no limit but memory. */
    readonly maxBody: number
    /** Bytes of all headers together. */
    readonly maxHeaders: number
  }
}
