import { rekey } from '../../src/ops/rekey.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { readVaultKey } from '../../src/platform/vault-key.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { diesAfter } from './dies-after.ts'

/**
 * Gives the letters of a vault another key, page by page, and dies when it has come further so many times, among which is the moment before it writes
 * the file anew.
 */
const [place = '', most = '', steps = '', ...texts] = process.argv.slice(2)
const step = diesAfter(Number(steps))
const [key, ...formerKeys] = texts.map(readVaultKey).filter((each) => 'secret' in each)
if (!key) throw new Error('No key was given.')
const { vault, lock, scrub } = await openVault(place, { key, formerKeys })
const { release } = await lock(() => {})
await rekey({
  ...{ vault, key: key.id, clock: systemClock, actor: 'ana', most: Number(most) },
  onNews: step,
  async scrub() {
    step()
    await scrub()
  },
})
await release()
await vault.close()
