import type { Capabilities } from '../capabilities.ts'

export const topicKinds = ['normal', 'fifo', 'delay'] as const
/**
 * What a topic takes, which RocketMQ enforces: `normal` messages keep no order and wait for nothing, `fifo` ones stand in order of their
 * message group, `delay` ones may be sent for later.
 */
export type TopicKind = (typeof topicKinds)[number]

const kibibyte = 1024
const hour = 3_600_000

/** What a broker takes unless it was told otherwise. */
export const defaultMaxBody: number = 4 * kibibyte * kibibyte
/** The proxy hides no message for longer unless it was told otherwise; one hour of it is left to the handler. */
export const longestHold: number = 12 * hour
const longestRetryDelay = longestHold - hour
/** What the proxy takes unless it was told otherwise. */
const longestSendDelay = 24 * hour

export function rocketmqCapabilities(topics: TopicKind, maxBody: number): Capabilities {
  return {
    hold: 'lock',
    // The broker counts every hand-out, and a message that is hidden for a while is handed out again: that is its retry.
    counts: 'deliveries',
    retry: { by: 'native', inPlace: true, maxDelay: longestRetryDelay, headers: false },
    // It gives up by its own count alone, into a topic of its own: letters are sent instead.
    deadLetter: { native: false, carriesFailure: false },
    move: 'none',
    // Reading by offset, which no consumer group notices.
    browse: 'cursor',
    remove: 'none',
    ordering: topics === 'fifo' ? 'lane' : 'none',
    deduplication: 0,
    delayedSend: topics === 'delay' ? longestSendDelay : 0,
    ttl: false,
    messages: {
      headers: 'typed',
      repeatedHeaders: true,
      tombstones: true,
      binary: true,
      maxBody,
      maxHeaders: 32 * kibibyte,
    },
  }
}
