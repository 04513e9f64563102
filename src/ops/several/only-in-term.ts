import { RedriveError } from '../../core/errors.ts'
import type { Transport } from '../../transports/seam.ts'

/**
 * The same transport, for who may have been replaced without knowing it: it was frozen, or cut off from the vault. Brokers know nothing of that, so that
 * whatever cannot be taken back is asked for only while it is certain that nobody else works. What is completed or released is not among it: a
 * letter is durable before it is completed, whoever works by then.
 */
export function onlyInTerm(transport: Transport, isOurs: () => boolean): Transport {
  function refuseAfter(): void {
    if (!isOurs()) throw new RedriveError('unreachable', 'Another control plane may work by now; nothing was sent.')
  }

  return {
    ...transport,
    async send(...given) {
      refuseAfter()
      return transport.send(...given)
    },
    async remove(...given) {
      refuseAfter()
      return transport.remove(...given)
    },
  }
}
