import type { Address, Transport } from '../../seam.ts'
import type { Finding, WantedChannel } from '../../topology.ts'
import { mistake, type Twin } from './planting.ts'

/** Provisions something else than what is wanted, and does not say so. */
function provisions(change: (wanted: WantedChannel) => WantedChannel): Twin {
  return mistake((transport) => ({
    async provision({ channels }, mode) {
      const findings = await transport.provision({ channels: channels.map(change) }, mode)
      return findings.filter(({ severity }) => severity === 'created' || severity === 'missing')
    },
  }))
}

function tells(keep: (finding: Finding) => boolean): Twin {
  return mistake((transport) => ({
    provision: async (wanted, mode) => (await transport.provision(wanted, mode)).filter(keep),
  }))
}

const differs = ({ severity }: Finding): boolean => severity === 'fatal' || severity === 'warning'

async function empty(transport: Transport, address: Address): Promise<void> {
  const { messages } = await transport.browse(address, { limit: 1000 })
  for (const { position = '' } of messages) await transport.remove(address, position)
}

/** Knows where each channel's dead letters go, and moves the body there by itself. */
const rejectsByHand: Twin = () => {
  const graves = new Map<string, Address>()
  return (transport) => ({
    ...transport,
    async provision(wanted, mode) {
      for (const { address, deadLetterTo } of wanted.channels) if (deadLetterTo) graves.set(address.name, deadLetterTo)
      return transport.provision(wanted, mode)
    },
    async settle(delivery, settlement) {
      const to = graves.get(delivery.address.name)
      if (settlement.kind !== 'reject' || to === undefined) return transport.settle(delivery, settlement)
      return transport.settle(delivery, { kind: 'move', to, message: { body: delivery.message.body, headers: [] } })
    },
  })
}

/** Every move is copied to all dead-letter channels that it ever saw. */
const copiesEverywhere: Twin = () => {
  const graves: Address[] = []
  return (transport) => ({
    ...transport,
    async provision(wanted, mode) {
      graves.push(...wanted.channels.filter(({ role }) => role === 'dead-letter').map(({ address }) => address))
      return transport.provision(wanted, mode)
    },
    async settle(delivery, settlement) {
      await transport.settle(delivery, settlement)
      if (settlement.kind === 'move') for (const grave of graves) await transport.send(grave, settlement.message)
    },
  })
}

export const provisioningTwins: Readonly<Record<string, Twin>> = {
  'provisions no dead-letter channel': provisions(({ deadLetterTo: _, ...wanted }) => wanted),
  'provisions no time to live': provisions(({ ttl: _, ...wanted }) => wanted),
  'provisions no lanes': provisions(({ lanes: _, ...wanted }) => wanted),
  'creates on a check': mistake((transport) => ({
    async provision(wanted, mode) {
      const findings = await transport.provision(wanted, mode)
      await transport.provision(wanted, 'apply')
      return findings
    },
  })),
  'finds nothing missing': tells(({ severity }) => severity !== 'missing'),
  'creates without a word': tells(({ severity }) => severity !== 'created'),
  'keeps quiet about differences': tells((finding) => !differs(finding)),
  'says created every time': mistake((transport) => ({
    async provision(wanted, mode) {
      const findings = await transport.provision(wanted, mode)
      const created = ({ address }: WantedChannel): Finding => ({ severity: 'created', address, what: 'created', message: '' })
      return mode === 'apply' ? [...findings, ...wanted.channels.map(created)] : findings
    },
  })),
  'creates anew what differs': mistake((transport) => ({
    async provision(wanted, mode) {
      const findings = await transport.provision(wanted, mode)
      if (mode === 'apply') for (const { address } of findings.filter(differs)) await empty(transport, address)
      return findings
    },
  })),
  'rejects the body alone': rejectsByHand,
  'copies to every channel': copiesEverywhere,
}
