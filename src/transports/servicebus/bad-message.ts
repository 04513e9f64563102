import { RedriveError } from '../../core/errors.ts'

export function badMessage(why: string): RedriveError {
  return new RedriveError('bad-message', `Service Bus cannot hold this message: ${why}.`)
}
