import type { Clock } from '../../core/ports.ts'
import type { Address, Delivery, Receiver, Settlement, Transport } from '../seam.ts'
import { ticketFor } from './entry.ts'
import type { ArmedFaults, FaultStep, Occasion } from './faults.ts'

/** The same transport, except that while faults are armed every step may go wrong. */
export function underFaults(healthy: Transport, faults: ArmedFaults, clock: Clock): Transport {
  const pass = (step: FaultStep, about: Omit<Occasion, 'step'> = {}) => faults.pass({ step, ...about }, clock)

  async function settle(delivery: Delivery, settlement: Settlement): Promise<void> {
    const about = { address: delivery.address, message: delivery.message }
    await pass(`settle.${settlement.kind}`, about)
    if (settlement.kind === 'move') faults.checkWritable(settlement.to)
    if (settlement.kind === 'reject') checkGrave(delivery)
    await healthy.settle(delivery, settlement)
    await pass(`settle.${settlement.kind}.after-write`, about)
  }

  function checkGrave(delivery: Delivery): void {
    const grave = ticketFor(delivery)?.channel.settings.deadLetterTo
    if (grave !== undefined) faults.checkWritable(grave)
  }

  async function send(...[address, message, options]: Parameters<Transport['send']>): ReturnType<Transport['send']> {
    const about = { address, message }
    await pass('send.before-write', about)
    faults.checkWritable(address)
    const receipt = await healthy.send(address, message, options)
    const { duplicate } = await pass('send.after-write', about)
    if (duplicate) await healthy.send(address, message)
    return receipt
  }

  function takesUnderFaults(address: Address, receiver: Receiver): Receiver {
    async function take(max: number, wait: number): Promise<readonly Delivery[]> {
      const { duplicate, reorder } = await pass('take', { address })
      const batch = await receiver.take(max, wait)
      if (duplicate) for (const { message } of batch) await healthy.send(address, message)
      return reorder ? batch.toReversed() : batch
    }
    /** A receiver whose connection broke says so by `lost`; its takes come back empty. */
    async function takeOrNothing(max: number, wait: number): Promise<readonly Delivery[]> {
      try {
        return await take(max, wait)
      } catch (error) {
        if (receiver.lost.aborted) return []
        throw error
      }
    }
    return { ...receiver, take: (max, wait) => (faults.armed ? takeOrNothing(max, wait) : receiver.take(max, wait)) }
  }

  return {
    ...healthy,
    async provision(wanted, mode) {
      if (faults.armed) await pass('provision')
      return healthy.provision(wanted, mode)
    },
    async receive(address, options) {
      if (faults.armed) await pass('receive', { address })
      return takesUnderFaults(address, await healthy.receive(address, options))
    },
    async extend(delivery, ms) {
      if (faults.armed) await pass('extend', { address: delivery.address, message: delivery.message })
      return healthy.extend(delivery, ms)
    },
    settle: (delivery, settlement) => (faults.armed ? settle(delivery, settlement) : healthy.settle(delivery, settlement)),
    send: (address, message, options) =>
      faults.armed ? send(address, message, options) : healthy.send(address, message, options),
    async browse(address, page) {
      if (faults.armed) await pass('browse', { address })
      return healthy.browse(address, page)
    },
    async remove(address, position) {
      if (faults.armed) await pass('remove', { address })
      return healthy.remove(address, position)
    },
    async measure(address) {
      if (faults.armed) await pass('measure', { address })
      return healthy.measure(address)
    },
  }
}
