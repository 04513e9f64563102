import type { Options } from 'amqplib'
import { faultChannels } from '../../messages.ts'

/** As peers' documents declare them: a durable quorum queue that dead-letters what is rejected. */
export const peerWork: Options.AssertQueue = {
  durable: true,
  arguments: {
    'x-queue-type': 'quorum',
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': faultChannels.deadLetter,
  },
}

/** Classic, because only such a queue can be deleted on condition that it is empty. */
export const peerDeadLetters: Options.AssertQueue = { durable: true, arguments: { 'x-queue-type': 'classic' } }
