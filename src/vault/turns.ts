import type { Vault } from './vault.ts'

/** The time in which one of several control planes on a vault does what only one may do. */
export interface Term {
  /** The same vault: whatever is written with it is refused once another control plane works. */
  readonly vault: Vault
  /** Whether nobody else can be working at this moment: to be asked right before what cannot be taken back, such as a send. */
  isOurs(): boolean
}

/** The vault is ours for as long as we say, and nobody else works on it meanwhile. */
export interface Hold {
  /** As of a term. */
  isOurs(): boolean
  release(): Promise<void>
}

/** Begins to work; what it gives ends that, and resolves when nothing is under way any more. */
export type Work = (term: Term) => Promise<() => Promise<void>>

/** What is divided among all control planes, so that each has about as much as any other. */
export interface Sharing {
  readonly shares: readonly string[]
  /** As work, on one of them alone: never while another control plane has it. */
  readonly work: (share: string, term: Term) => Promise<() => Promise<void>>
}

/** Who has something, since when. */
export interface Holding {
  readonly name: string
  readonly since: number
}

export interface Joining {
  /** What people know this control plane by, and its version. */
  readonly name: string
  readonly release: string
  /** Called whenever it is our turn, and never before the last time has ended. */
  readonly work: Work
  readonly sharing: Sharing
  /** What another one told. */
  readonly onNotice: (text: string) => void
  /** Others may have told something that did not arrive. */
  readonly onGap: () => void
  readonly onProblem: (error: unknown) => void
}

/** A control plane that has the vault, whether it works or stands by. */
export interface Present {
  readonly name: string
  readonly release: string
  /** The newest version of the tables that it knows. */
  readonly knows: number
  readonly since: number
}

/** One of several control planes on a vault. */
export interface Membership {
  /** To all others that are there at this moment; at most 7,900 bytes. Whoever is not reached looks for itself. */
  tell(text: string): Promise<void>
  works(): boolean
  /** Who works, as far as anybody does. */
  worker(): Promise<Holding | undefined>
  /** Who has which share, as far as anybody has it. */
  shares(): Promise<ReadonlyMap<string, Holding>>
  /** Everybody who is there, the longest first; one that was killed for up to a minute. */
  present(): Promise<readonly Present[]>
  /** Ends its work, and lets the next one have its turn. */
  leave(): Promise<void>
}
