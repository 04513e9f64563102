import { createDeliveryLine } from '../../src/notifiers/delivery-line.ts'
import { createSink } from '../../src/notifiers/kinds.ts'
import { systemRandom } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'

/** Brings to a webhook what waits in a vault, until somebody kills it. `forgetful` notes that things were sent before they are. */
const [file = '', url = '', way] = process.argv.slice(2)
const vault = sqliteVault({ file })
const port = Number(new URL(url).port)
const sink = createSink('hook', 'webhook', { url, allowAddresses: ['127.0.0.1'], allowPorts: [port] }, { clock: systemClock })

const forgetful: Vault = {
  ...vault,
  read: (async (name: 'waitingDeliveries', input: { sink: string; limit: number }) => {
    const rows = await vault.read(name, input)
    const [first] = rows
    if (first) await vault.write('deliverySent', { id: first.id, collapsed: [], now: systemClock.now() })
    return rows
  }) as Vault['read'],
}

createDeliveryLine({
  sink,
  vault: way === 'forgetful' ? forgetful : vault,
  clock: systemClock,
  random: systemRandom,
  onProblem: (name, problem) => console.error(`${name}: ${problem}`),
}).start()
setInterval(() => {}, 2 ** 30)
