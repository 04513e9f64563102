import { originalOf } from '../core/dialects/original.ts'
import { decodeMessage, parseEnvelope } from '../core/envelope.ts'
import { hasCode } from '../core/errors.ts'
import { type FailedRun, failedRunsIn } from '../core/failed-runs.ts'
import { textHeader } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Message } from '../core/message.ts'
import { safeErrorType, sanitise } from '../core/sanitise.ts'
import type { Letter } from '../vault/operations/letters.ts'
import type { Vault } from '../vault/vault.ts'

/** What a letter tells of its runs. None where its content was erased, or where nobody wrote them down. */
export async function failedRunsOf(vault: Vault, { id, dialect }: Letter): Promise<readonly FailedRun[]> {
  const message = await contentOf(vault, id)
  const runs = message ? failedRunsIn(textHeader(message.headers, redriveHeaders.failedRuns)) : []
  if (!message || runs.length === 0) return []
  // Whoever can write into a dead-letter channel can write this header, and whoever may not see a payload sees what it says.
  const secret = originalOf(message, dialect)
  return runs.map(({ errorType, description, ...run }) => {
    const type = safeErrorType(errorType)
    return { ...run, errorType: type, description: sanitise(description, type, secret) }
  })
}

async function contentOf(vault: Vault, id: number): Promise<Message | undefined> {
  try {
    const { envelope, body } = await vault.read('readContent', { id })
    return decodeMessage(parseEnvelope(envelope), body)
  } catch (error) {
    if (hasCode(error, 'not-found')) return undefined
    throw error
  }
}
