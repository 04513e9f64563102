import { codeOf, hasCode } from '../core/errors.ts'
import type { Transport } from '../transports/seam.ts'
import type { NamedSource } from '../vault/operations/sources.ts'
import type { Vault } from '../vault/vault.ts'
import { type ConfiguredSource, isThe } from './sources.ts'

type Finding = Awaited<ReturnType<Transport['provision']>>[number]

/** Something about a dead-letter channel on its broker by which letters could be lost, or that cannot be seen. */
export interface SourceFinding extends NamedSource {
  readonly severity: Finding['severity']
  readonly what: string
  readonly message: string
}

/** What every broker says about its dead-letter channels. Nothing is changed there. */
export async function sourceFindings(configured: readonly ConfiguredSource[], vault: Vault): Promise<readonly SourceFinding[]> {
  const known = await vault.read('listSources', undefined)
  const found = await Promise.all(
    known.map(async ({ id, connection, channel, part, group }) => {
      const name = { connection, channel, part, group }
      const source = configured.find(isThe(name))
      const findings = source ? await findingsOf(source) : []
      return findings.map(({ severity, what, message }) => ({ id, ...name, severity, what, message }))
    }),
  )
  return found.flat()
}

type Told = Pick<Finding, 'severity' | 'what' | 'message'>

/** A broker that cannot be asked is not said to be fine. */
async function findingsOf({ transport, address }: ConfiguredSource): Promise<readonly Told[]> {
  try {
    return await transport.provision({ channels: [{ address, role: 'dead-letter' }] }, 'check')
  } catch (error) {
    if (hasCode(error, 'closed')) throw error
    return [{ severity: 'unknown', what: 'cannot-be-asked', message: `The broker cannot be asked about it (${codeOf(error)}).` }]
  }
}
