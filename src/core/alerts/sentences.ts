import { formatDuration } from '../duration.ts'
import type { Subject } from './identity.ts'
import type { Figures, Status } from './notification.ts'
import type { RuleType } from './rule.ts'

/** What an alert says. Everything in it is a number, the name of a channel, or a code. */
interface Said {
  readonly name: string
  /** One line for a subject; what is behind it is where. */
  readonly headline: Readonly<Record<Status, string>>
  readonly firing: (where: string, figures: Figures) => string
  readonly resolved: (where: string) => string
}

// What nobody knows, such as after a restart, is called unknown and never told as a 0.
const some = ({ count }: Figures, what: string): string =>
  count === undefined ? `an unknown number of ${what}s` : `${count} ${what}${count === 1 ? '' : 's'}`
const percent = (value: number): string => `${Math.round(value * 1000) / 10} %`
const share = ({ ratio }: Figures): string => (ratio === undefined ? 'An unknown share' : percent(ratio))
const above = (limit: number | string | undefined): string => (limit === undefined ? '' : `, more than ${limit}`)
const aboveShare = ({ threshold }: Figures): string => above(threshold === undefined ? undefined : percent(threshold))
const span = (ms: number | undefined): string =>
  ms === undefined ? 'an unknown time' : formatDuration(Math.max(1000, Math.round(ms / 1000) * 1000))
const begin = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1)

/** The sentence and the headline of `dlq.any` are seed 000's, word for word: operators have rules that look for them. */
const said: Readonly<Record<RuleType, Said>> = {
  'dlq.any': {
    name: 'Letters in a dead-letter queue',
    headline: { firing: 'Poison message detected in DLQ', resolved: 'No more messages in DLQ' },
    firing: (where) => `1 or more messages found in Dead-Letter Queue ${where}. Manual intervention required.`,
    resolved: (where) => `Dead-Letter Queue ${where} is empty again.`,
  },
  'dlq.count': {
    name: 'Many letters in a dead-letter queue',
    headline: { firing: 'Many messages in DLQ', resolved: 'Fewer messages in DLQ' },
    firing: (where, figures) => begin(`${some(figures, 'message')} in Dead-Letter Queue ${where}${above(figures.threshold)}.`),
    resolved: (where) => `Dead-Letter Queue ${where} is below its limit again.`,
  },
  'dlq.growth': {
    name: 'A dead-letter queue grows',
    headline: { firing: 'Growing DLQ', resolved: 'No longer growing DLQ' },
    firing: (where, { threshold, window }) =>
      threshold === undefined
        ? `Dead-Letter Queue ${where} grows fast.`
        : `Dead-Letter Queue ${where} grows by more than ${Math.round(threshold)} messages in ${span(window)}.`,
    resolved: (where) => `Dead-Letter Queue ${where} no longer grows as fast.`,
  },
  'dlq.oldest.age': {
    name: 'Old letters in a dead-letter queue',
    headline: { firing: 'Old messages in DLQ', resolved: 'No more old messages in DLQ' },
    firing: (where, { oldestAge, ratio }) =>
      ratio === undefined
        ? `The oldest message in Dead-Letter Queue ${where} is ${span(oldestAge)} old.`
        : `The oldest message in Dead-Letter Queue ${where} has used ${Math.round(ratio * 100)} % of the time that the broker keeps it.`,
    resolved: (where) => `Dead-Letter Queue ${where} has no such old messages any more.`,
  },
  'dlq.publish.failed': {
    name: 'Letters cannot be written',
    headline: { firing: 'Failed to dead-letter messages of', resolved: 'Dead-lettering works again for' },
    firing: (where, figures) =>
      begin(`${some(figures, 'message')} of ${where} could not be written to their dead-letter queue and are held.`),
    resolved: (where) => `Messages of ${where} can be dead-lettered again.`,
  },
  'fail.ratio': {
    name: 'Many messages are dead-lettered',
    headline: { firing: 'High share of dead letters in', resolved: 'Normal share of dead letters in' },
    firing: (where, figures) => `${share(figures)} of the messages of ${where} were dead-lettered${aboveShare(figures)}.`,
    resolved: (where) => `The share of dead letters of ${where} is below its limit again.`,
  },
  'retry.ratio': {
    name: 'Many messages are retried',
    headline: { firing: 'High share of retries in', resolved: 'Normal share of retries in' },
    firing: (where, figures) => `${share(figures)} of the messages of ${where} were retried${aboveShare(figures)}.`,
    resolved: (where) => `The share of retries of ${where} is below its limit again.`,
  },
  'error.spike': {
    name: 'One error happens often',
    headline: { firing: 'Spike of one error in', resolved: 'Spike is over in' },
    firing: (where, figures) => begin(`${some(figures, 'letter')} of one cause came to ${where} within ${span(figures.window)}.`),
    resolved: (where) => `The spike of one cause in ${where} is over.`,
  },
  'source.lag': {
    name: 'Messages wait',
    headline: { firing: 'Messages pile up in', resolved: 'Messages no longer pile up in' },
    firing: (where, figures) => begin(`${some(figures, 'message')} wait in ${where}.`),
    resolved: (where) => `Messages of ${where} are processed in time again.`,
  },
  'consumer.none': {
    name: 'Nobody consumes',
    headline: { firing: 'No consumer for', resolved: 'Consumer is back for' },
    firing: (where, figures) => begin(`nobody consumes from ${where}, where ${some(figures, 'message')} wait.`),
    resolved: (where) => `${where} has a consumer again.`,
  },
  'consumer.vanished': {
    name: 'A consumer is not heard of',
    headline: { firing: 'Consumer vanished:', resolved: 'No consumer is missing:' },
    firing: (where, figures) =>
      begin(
        `${some(figures, 'consumer')} of ${where} stopped reporting without a word. Messages may wait, and letters on a disk.`,
      ),
    resolved: (where) => `Consumers of ${where} report again, or were forgotten.`,
  },
  'probe.failed': {
    name: 'A dead-letter queue cannot be probed',
    headline: { firing: 'Failed to probe DLQ', resolved: 'Probing again DLQ' },
    firing: (where, { failure = 'unknown', unread }) =>
      unread === undefined
        ? `Dead-Letter Queue ${where} cannot be probed (${failure}). Nobody knows how many messages it holds.`
        : `Messages in Dead-Letter Queue ${where} cannot be read (${unread}). Those that come lie on its broker alone.`,
    resolved: (where) => `Dead-Letter Queue ${where} can be probed and read again.`,
  },
  'broker.down': {
    name: 'A broker cannot be reached',
    headline: { firing: 'Broker down:', resolved: 'Broker is back:' },
    firing: (where, figures) =>
      `No dead-letter queue on ${where} can be probed (${some(figures, 'queue')}). Nobody knows what they hold.`,
    resolved: (where) => `The dead-letter queues on ${where} can be probed again.`,
  },
  'probe.unsafe': {
    name: 'Unsafe settings on a broker',
    headline: { firing: 'Unsafe settings on', resolved: 'Settings are safe on' },
    firing: (where, figures) => `Messages can be lost by ${some(figures, 'setting')} on ${where}. redrive doctor says which.`,
    resolved: (where) => `The settings on ${where} are safe now.`,
  },
  'cause.new': {
    name: 'A new cause',
    headline: { firing: 'New cause in', resolved: 'Cause is no longer new in' },
    firing: (where) => `Letters with an error that was never seen before came to ${where}.`,
    resolved: (where) => `The new cause in ${where} is judged, dealt with, or no longer new.`,
  },
  'cause.regressed': {
    name: 'A cause came back',
    headline: { firing: 'Cause came back in', resolved: 'Cause is dealt with again in' },
    firing: (where) => `A letter came to ${where} whose cause had been marked as fixed.`,
    resolved: (where) => `The cause that came back to ${where} is dealt with.`,
  },
  'conservation.broken': {
    name: 'Letters do not add up',
    headline: { firing: 'Letters do not add up in', resolved: 'Letters add up again in' },
    firing: (where, figures) => `The counters of ${where} disagree about ${some(figures, 'letter')}. Please report this.`,
    resolved: (where) => `The counters of ${where} agree again.`,
  },
  'time.to.loss': {
    name: 'Messages will be lost soon',
    headline: { firing: 'Messages will expire in', resolved: 'Messages are safe in' },
    firing: (where, { oldestAge }) => `Messages in ${where} are lost in ${span(oldestAge)} if nothing is done.`,
    resolved: (where) => `Messages in ${where} are safe again.`,
  },
  'spool.not.empty': {
    name: 'Letters wait on a disk',
    headline: { firing: 'Letters on the disk of a consumer of', resolved: 'No more letters on the disk of a consumer of' },
    firing: (where, figures) => begin(`${some(figures, 'letter')} of ${where} wait in the spool of a consumer.`),
    resolved: (where) => `The spools of ${where} are empty again.`,
  },
  'breaker.open': {
    name: 'A channel is paused',
    headline: { firing: 'Paused by its breaker:', resolved: 'Running again:' },
    firing: (where) => `Nearly all messages of ${where} fail, and its consumers have paused it.`,
    resolved: (where) => `Messages of ${where} are processed again.`,
  },
  'store.disk': {
    name: 'The disk of the vault fills up',
    headline: { firing: 'Disk of the vault nearly full', resolved: 'Disk of the vault has room again' },
    firing: (_, figures) => `${share(figures)} of the disk of the vault is free. Without room no letter can be kept.`,
    resolved: () => 'The disk of the vault has room again.',
  },
  'replay.stuck': {
    name: 'A replay makes no progress',
    headline: { firing: 'Replay is stuck:', resolved: 'Replay goes on:' },
    firing: (where, { oldestAge }) => `${where} has made no progress for ${span(oldestAge)}.`,
    resolved: (where) => `${where} goes on, or has ended.`,
  },
  'replay.loop': {
    name: 'A replay comes back',
    headline: { firing: 'Replayed letters come back:', resolved: 'Replayed letters no longer come back:' },
    firing: (where, figures) => `${share(figures)} of the letters of ${where} were dead-lettered again.`,
    resolved: (where) => `The letters of ${where} no longer come back, or it has ended.`,
  },
  'replay.missed': {
    name: 'A replay missed its time',
    headline: { firing: 'Replay missed its time:', resolved: 'Replay was seen to:' },
    firing: (where) =>
      `${where} was to be started at a time, and was not. A person has to start it, give it another time or cancel it.`,
    resolved: (where) => `${where} was started, given another time or cancelled.`,
  },
  'sink.failing': {
    name: 'Alerts do not arrive',
    headline: { firing: 'Alerts do not reach', resolved: 'Alerts reach again' },
    firing: (where, { oldestAge }) => `Alerts to ${where} have failed for ${span(oldestAge)}.`,
    resolved: (where) => `Alerts to ${where} arrive again.`,
  },
  watchdog: {
    name: 'Alerting works',
    headline: { firing: 'Alerting works', resolved: 'Alerting stops' },
    firing: () => 'This is sent all the time. When it stops, alerting has stopped.',
    resolved: () => 'The watchdog was switched off.',
  },
}

export function ruleName(type: RuleType): string {
  return said[type].name
}

export function headlineFor(type: RuleType, status: Status, subject: Subject): string {
  const where = whereIs(subject)
  return where === '' ? said[type].headline[status] : `${said[type].headline[status]} ${where}`
}

export function sentenceFor(type: RuleType, status: Status, subject: Subject, figures: Figures): string {
  const where = whereIs(subject) || 'the control plane'
  const sentence = status === 'firing' ? said[type].firing(where, figures) : said[type].resolved(where)
  return subject.cause === undefined ? sentence : `${sentence.slice(0, -1)} (cause:${shortName(subject.cause)}).`
}

/** As much of a cause as a filter needs. */
function shortName(fingerprint: string): string {
  return fingerprint.slice(fingerprint.indexOf(':') + 1).slice(0, 8)
}

function whereIs({ source, queue, consumerGroup, replay, sink }: Subject): string {
  const ofGroup = queue !== undefined && consumerGroup !== undefined ? `${queue} (group ${consumerGroup})` : queue
  return sink ?? (replay === undefined ? undefined : `replay ${replay}`) ?? ofGroup ?? source
}
