/** What the vault and its two threads say to each other: the name of an operation and what it is given. */
export interface ThreadSettings {
  readonly role: 'writer' | 'reader'
  readonly file: string
  /** How long a transaction waits for another process. Milliseconds. */
  readonly busyTimeout: number
}

export interface Call {
  readonly name: string
  readonly input: unknown
}
