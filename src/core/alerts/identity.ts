import { sha256 } from '../sha256.ts'

/**
 * What something is said about. `source` is the name of a connection in the configuration, and empty where it is about the control plane
 * itself; `queue` is a channel on it. What is absent does not belong to it.
 */
export interface Subject {
  readonly source: string
  readonly queue?: string
  readonly consumerGroup?: string
  /** The fingerprint of a cause. */
  readonly cause?: string
  readonly replay?: number
  /** A way to tell people that fails itself. */
  readonly sink?: string
}

export type Labels = Readonly<Record<string, string>>

/** Nothing of it changes while the alert lives: no counts, no ids of messages, no text of an error. */
export interface Identity {
  readonly rule: string
  readonly subject: Subject
  readonly labels: Labels
}

const parts = ['source', 'queue', 'consumerGroup', 'cause', 'replay', 'sink'] as const satisfies readonly (keyof Subject)[]

/** The same text for the same subject, whatever order its parts were written in. */
export function subjectKey(subject: Subject): string {
  return JSON.stringify(parts.map((part) => subject[part] ?? null))
}

/** 64 hexadecimal digits. */
export function fingerprintOf({ rule, subject, labels }: Identity): string {
  const sorted = Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1))
  return sha256(JSON.stringify([rule, subjectKey(subject), sorted]))
}

/** What receivers tell alerts, and groups of them, apart by. Short enough for all of them. */
export function dedupKeyOf(name: string): string {
  return `redrive:${sha256(name).slice(0, 32)}`
}
