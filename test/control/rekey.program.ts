import { rekey } from '../../src/ops/rekey.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { readVaultKey } from '../../src/platform/vault-key.ts'
import { openVault } from '../../src/vault/open-vault.ts'

/** Gives the letters of a vault another key, page by page, and tells its parent whenever it has come further, and before it writes the file anew. */
const [place = '', most = '', ...texts] = process.argv.slice(2)
const [key, ...formerKeys] = texts.map(readVaultKey).filter((each) => 'secret' in each)
if (!key) throw new Error('No key was given.')
const { vault, lock, scrub } = await openVault(place, { key, formerKeys })
const { release } = await lock(() => {})
await rekey({
  ...{ vault, key: key.id, clock: systemClock, actor: 'ana', most: Number(most) },
  onNews: (news) => process.send?.(news),
  async scrub() {
    process.send?.({ doing: 'scrubbing' })
    await scrub()
  },
})
await release()
await vault.close()
process.disconnect()
