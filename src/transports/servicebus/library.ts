import { createRequire } from 'node:module'
import type * as Sdk from '@azure/service-bus'
import { RedriveError } from '../../core/errors.ts'
import { watchDecoding } from './encoded-properties.ts'
import type { RheaMessages, RheaTypes } from './rhea.ts'

/** What we use of the client library, and of the libraries that it brings along. */
export interface Library {
  readonly sdk: typeof Sdk
  readonly types: RheaTypes
  readonly long: LongNumbers
}

/** How the SDK wants its sequence numbers. */
export interface LongNumbers {
  fromString(text: string): Long
  fromNumber(number: number): Long
  fromBytesBE(bytes: readonly number[]): Long
}

type Long = NonNullable<Sdk.PeekMessagesOptions['fromSequenceNumber']>

/** Loaded on first use, so that nobody needs it who does not use Service Bus. */
export async function loadLibrary(): Promise<Library> {
  try {
    const sdk = (await import('@azure/service-bus')) as typeof Sdk & { default?: typeof Sdk }
    // The very copies that the SDK uses: a typed value of another copy would be written as a map.
    const fromSdk = createRequire(import.meta.resolve('@azure/service-bus'))
    const fromRheaPromise = createRequire(fromSdk.resolve('rhea-promise'))
    const { types, message }: { types: RheaTypes; message: RheaMessages } = fromRheaPromise('rhea')
    watchDecoding(message)
    return { sdk: sdk.default ?? sdk, types, long: fromSdk('long') }
  } catch (cause) {
    throw new RedriveError(
      'missing-library',
      'Service Bus needs the package @azure/service-bus. Install it with: npm install @azure/service-bus@7',
      { cause },
    )
  }
}
