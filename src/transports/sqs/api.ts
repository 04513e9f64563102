import type { SQS } from '@aws-sdk/client-sqs'
import { loadSdk } from './library.ts'
import type { Settings } from './options.ts'
import { sqsError } from './sqs-errors.ts'

/** The server as the transport sees it. */
export interface Api {
  /** Rejects with what the answer means; `patience` is how long the server was asked to wait, in milliseconds. */
  ask<Answer>(question: (sqs: SQS, options: Asking) => Promise<Answer>, patience?: number): Promise<Answer>
  close(): Promise<void>
}

interface Asking {
  readonly abortSignal: AbortSignal
}

export function createApi(settings: Settings): Api {
  const { clock, answerWithin } = settings
  const usual = createClient(settings.connections)
  /** Whoever waits for messages holds its connection meanwhile: settlements must not stand in line behind that. */
  const patient = createClient(Number.POSITIVE_INFINITY)

  async function open(maxSockets: number): Promise<SQS> {
    const { SQS: Client } = await loadSdk()
    const { region, credentials, endpoint } = settings
    return new Client({
      ...(region !== undefined && { region }),
      ...(credentials !== undefined && { credentials }),
      // The server names its queues by an address of its own, which need not be one that we can reach.
      ...(endpoint !== undefined && { endpoint, useQueueUrlAsEndpoint: false }),
      // Whoever asks knows better what may be repeated: a send that is sent twice is there twice.
      maxAttempts: 1,
      requestHandler: { httpAgent: { maxSockets }, httpsAgent: { maxSockets } },
    })
  }

  function createClient(maxSockets: number): { get(): Promise<SQS>; close(): Promise<void> } {
    let opening: Promise<SQS> | undefined
    return {
      get() {
        opening ??= open(maxSockets).catch((error) => {
          opening = undefined
          throw error
        })
        return opening
      },
      async close() {
        if (opening) (await opening).destroy()
      },
    }
  }

  return {
    async ask(question, patience = 0) {
      const sqs = await (patience > 0 ? patient : usual).get()
      const silence = new AbortController()
      const cancel = clock.after(answerWithin + patience, () => silence.abort())
      try {
        return await question(sqs, { abortSignal: silence.signal })
      } catch (error) {
        throw sqsError(error)
      } finally {
        cancel()
      }
    },
    async close() {
      await Promise.all([usual.close(), patient.close()])
    },
  }
}
