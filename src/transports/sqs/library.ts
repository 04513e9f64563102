import { RedriveError } from '../../core/errors.ts'

/** What we use of the client library. */
export type Sdk = Pick<typeof import('@aws-sdk/client-sqs'), 'SQS'>

/** Loaded on first use, so that nobody needs it who does not use SQS. */
export async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-sqs')
  } catch (cause) {
    const message = 'SQS needs the package @aws-sdk/client-sqs. Install it with: npm install @aws-sdk/client-sqs@3'
    throw new RedriveError('missing-library', message, { cause })
  }
}
