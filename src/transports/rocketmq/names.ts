import { RedriveError } from '../../core/errors.ts'
import type { Address } from '../seam.ts'
import type { Settings } from './options.ts'

/** A topic as one group reads it. */
export interface Channel {
  readonly topic: string
  readonly group: string
}

/** Topics of the broker's own, which are there without being asked for. */
const brokersOwn = /^%(DLQ|RETRY)%[A-Za-z0-9_%|+-]+$/

/** RocketMQ takes letters, digits, dashes and underscores; every other character of a channel's name becomes a dash. */
export function topicOf({ name, part }: Address): string {
  const channel = part === undefined ? name : `${name}-${part}`
  const topic = brokersOwn.test(channel) ? channel : channel.replaceAll(/[^A-Za-z0-9_-]/g, '-')
  if (topic.length > 0 && topic.length <= 127) return topic
  throw new RedriveError('bad-option', `${JSON.stringify(channel)} makes no name of a topic, which has 1 to 127 characters.`)
}

export function channelOf(address: Address, settings: Pick<Settings, 'group'>): Channel {
  return { topic: topicOf(address), group: groupOf(address, settings) }
}

function groupOf({ group }: Address, settings: Pick<Settings, 'group'>): string {
  if (group === undefined) return settings.group
  if (/^[A-Za-z0-9_-]{1,100}$/.test(group)) return group
  throw new RedriveError('bad-option', `group ${JSON.stringify(group)} has other characters than letters, digits, - and _.`)
}

/** What tells it from all others of the cluster. */
export function placeOf({ topic, group }: Channel): string {
  return `${topic} ${group}`
}

/** Where the broker puts what a group was given and did not settle in time. */
export function retryTopicOf({ topic, group }: Channel): string {
  return `%RETRY%${group}_${topic}`
}

export function isBrokersOwn(topic: string): boolean {
  return brokersOwn.test(topic)
}
