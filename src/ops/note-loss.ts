import type { Measure } from '../transports/seam.ts'
import type { Vault } from '../vault/vault.ts'
import { nameOf } from './source.ts'
import type { ConfiguredSource } from './sources.ts'

/**
 * The same source: whenever somebody measures it, the vault learns how long the broker keeps its letters. So whoever looks at a letter knows
 * when the broker's own copy goes, and asks no broker for it. A probe that fails changes nothing that is known.
 */
export function notingLoss(source: ConfiguredSource, vault: Vault): ConfiguredSource {
  let noted: number | null | undefined

  async function note({ keepsFor = null }: { readonly keepsFor?: number | null }): Promise<void> {
    if (keepsFor === noted) return
    const { id } = await vault.write('registerSource', nameOf(source))
    await vault.write('sourceKeeps', { id, keepsFor })
    noted = keepsFor
  }

  async function measure(...asked: Parameters<ConfiguredSource['transport']['measure']>): Promise<Measure> {
    const measured = await source.transport.measure(...asked)
    // What cannot be written now is written after the next look: nobody waits for it.
    void note(measured).catch(() => {})
    return measured
  }

  return { ...source, transport: { ...source.transport, measure } }
}
