import type { LetterFields } from '../letter-fields.ts'
import { type DialectReader, failureOf, type ReadFailure } from '../reading.ts'
import { redriveFailure } from './redrive.ts'

const headers = ['originalTopic', 'originalMessageType', 'rejectionReason', 'rejectionMessage', 'rejectionTimestamp']

/** Seed 004: how Brighter writes on SQS, Redis, SQL databases, RocketMQ and MQTT. */
export const brighter: DialectReader = {
  name: 'brighter',
  producer: 'Brighter (all but Kafka)',
  confidence: 'certain',
  signs: ['rejectionReason', 'rejectionTimestamp'],
  headers,
  read: failure,
}

/** The same with capitals. */
export const brighterKafka: DialectReader = {
  name: 'brighter-kafka',
  producer: 'Brighter on Kafka',
  confidence: 'certain',
  signs: ['RejectionReason', 'RejectionTimestamp'],
  headers: ['OriginalTopic', 'OriginalType', 'RejectionReason', 'RejectionMessage', 'RejectionTimestamp', 'HandledCount'],
  read(letter) {
    return letter.hasExactly('RejectionReason') || letter.hasExactly('RejectionTimestamp') ? failure(letter) : undefined
  },
}

function failure(letter: LetterFields): ReadFailure {
  const ours = redriveFailure(letter)
  const reason = letter.text('rejectionReason')
  return failureOf({
    reason: reason === 'None' ? undefined : reason,
    errorMessage: letter.text('rejectionMessage'),
    attempts: letter.count('HandledCount'),
    failedAt: letter.time('rejectionTimestamp'),
    ...ours,
    source: { channel: letter.text('originalTopic'), ...ours.source },
  })
}
