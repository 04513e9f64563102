/**
 * What the runtime and the transports may ask of the world besides a broker. Everything that tells time, waits, draws or
 * names goes through here, so that the simulator and users' tests run the very same code on a clock of their own.
 */
export interface Clock {
  /** Wall time in epoch milliseconds: for what people and other machines read. It may jump. */
  now(): number
  /** Milliseconds that never go back: for every duration. */
  monotonic(): number
  /** Runs `callback` once after `ms`; the result cancels it. A pending timer does not keep the process alive when `background`. */
  after(ms: number, callback: () => void, options?: { background?: boolean }): Cancel
  /** Runs `callback` after the current event has been handled: microtasks drained, I/O given a chance. */
  soon(callback: () => void): void
}

/** What tells a clock from anything else. */
export const clockVerbs: readonly (keyof Clock)[] = ['now', 'monotonic', 'after', 'soon']

export type Cancel = () => void

/** A number in [0, 1). */
export type Random = () => number

/** Unique over all processes. */
export type NewId = () => string

/**
 * The part of a file system that a durable log needs. Nothing is durable before it is synced: content with the file's own `sync`,
 * a name with that of its folder. Rejects with the errors of Node, which have a `code` such as `ENOSPC`.
 */
export interface Files {
  /** What is in a folder, in any order. */
  list(folder: string): Promise<readonly FileEntry[]>
  /** Where it is there already, nothing happens; its parent must be there. */
  makeFolder(folder: string): Promise<void>
  /** Rejects with `EFBIG`, without reading it, what has more bytes than `atMost`. */
  read(path: string, atMost?: number): Promise<Uint8Array>
  /** A new file, or the old one emptied. */
  create(path: string): Promise<NewFile>
  /** Atomic; replaces what had the name. */
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  syncFolder(folder: string): Promise<void>
  /**
   * A lock that ends with the process that holds it, however that ends. Gives what unlocks it, or `undefined` while somebody else
   * holds it, be it in this process.
   */
  lock(path: string): Promise<Unlock | undefined>
}

export type Unlock = () => void

export interface FileEntry {
  readonly name: string
  readonly bytes: number
}

export interface NewFile {
  write(content: Uint8Array): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * Where bodies stand that are too large to travel with their message. A key is a name of at most a hundred letters, digits, dots, dashes
 * and underscores, used once. Every verb ends within a time of the store's own.
 */
export interface BodyStore {
  /** Resolves when the body is durable. */
  put(key: string, body: Uint8Array): Promise<void>
  /** Gives nothing where there is none. What is larger than `atMost` need not be read: it is not what was put. */
  get(key: string, atMost: number): Promise<Uint8Array | undefined>
  /** Tells whether it was there. */
  remove(key: string): Promise<boolean>
}

export const bodyStoreVerbs: readonly (keyof BodyStore)[] = ['put', 'get', 'remove']

/**
 * Sends JSON over HTTP with a token, to the address that is given and to no other. Gives the status and the JSON of the answer, which is
 * `undefined` where there is none or too much of it. Rejects when there is no answer, and when the signal aborts.
 */
export type PostJson = (url: string, request: PostedJson) => Promise<{ readonly status: number; readonly json: unknown }>

export interface PostedJson {
  readonly token: string
  readonly body: string
  readonly signal: AbortSignal
}

/**
 * Watches the event loop from another thread, which can still speak while a handler blocks this one. Stopping it twice is the same
 * as stopping it once.
 */
export type WatchLoop = (options: LoopWatchOptions) => LoopWatch

export interface LoopWatchOptions {
  /** Milliseconds without a turn of the loop. */
  readonly blockedAfter: number
  /** `exit` kills the process: nothing gentler works from another thread while the loop stands still. */
  readonly onBlocked: 'warn' | 'exit'
  /** What every line on standard error holds, its text as `msg`; `undefined` for no lines at all. */
  readonly lineFields: object | undefined
  /** The loop turns again, after so many milliseconds; `blamed` is the handler that had begun last. */
  readonly freed: (blockedMs: number, blamed: BegunHandler | undefined) => void
}

export interface LoopWatch {
  /** A handler begins: if the loop stands still from now on, it is the likeliest reason. */
  began(handler: BegunHandler): void
  ended(): void
  stop(): void
}

export interface BegunHandler {
  readonly channel: string
  readonly messageId: string | undefined
  readonly correlationId: string | undefined
}
