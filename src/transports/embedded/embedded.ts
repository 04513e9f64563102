import { decodeMessage } from '../../core/envelope.ts'
import { RedriveError } from '../../core/errors.ts'
import { isStillToBeMade } from '../../platform/sqlite/store-file.ts'
import { createHoldings, type Held } from '../leases/holdings.ts'
import { nameOf } from '../leases/name-of.ts'
import { contentOf, jobFor } from '../leases/outgoing.ts'
import { createReceiver, type LeaseReceiver } from '../leases/receiver.ts'
import { createSettling } from '../leases/settling.ts'
import type { Delivery, Page, Settlement, Transport } from '../seam.ts'
import { embeddedCapabilities } from './capabilities.ts'
import { createChores } from './chores.ts'
import { leaseEnd } from './leases.ts'
import { type EmbeddedOptions, resolveOptions } from './options.ts'
import type { BrowsedPage, WorkerSettings } from './protocol.ts'
import { allMissing } from './provision.ts'
import { createReaderLink } from './reader-link.ts'
import { unpackContents } from './unpack.ts'
import { createWriterLink } from './writer-link.ts'

export type { EmbeddedOptions }

/**
 * A durable queue in one SQLite file, for one machine and any number of processes on it.
 *
 * Nothing is opened before the first call. An open transport keeps the process alive only while a receiver is open or a call
 * has no answer yet.
 */
export function embedded(options: EmbeddedOptions): Transport {
  const { clock, maxBody, pollEvery, sweepEvery, onCommit, file, busyTimeout, durability } = resolveOptions(options)
  const capabilities = embeddedCapabilities(maxBody)
  const holdings = createHoldings(clock)
  const receivers = new Set<LeaseReceiver>()
  const settings: WorkerSettings = { role: 'writer', file, busyTimeout, durability }
  const reader = createReaderLink({ ...settings, role: 'reader' })
  const writer = createWriterLink(settings, clock, {
    claims: () => [...receivers].flatMap((receiver) => receiver.nextClaim() ?? []),
    ready: stir,
    committed: onCommit,
  })
  const chores = createChores({ clock, writer, holdings, receivers, pollEvery, sweepEvery })
  const settling = createSettling({ holdings, checkOpen, carryOut, mayBeOvertaken: false })
  let closing: Promise<void> | undefined

  function stir(channels: readonly number[] | 'any'): void {
    for (const receiver of receivers) if (channels === 'any' || channels.includes(receiver.channel)) receiver.stir()
  }

  function checkOpen(): void {
    if (closing) throw new RedriveError('closed', 'The embedded transport is closed.')
  }

  function carryOut(held: Held, { message }: Delivery, settlement: Settlement): Promise<unknown> {
    if (settlement.kind === 'complete') return writer.complete(held.hold)
    return writer.perform(jobFor(held, message, settlement, capabilities.messages))
  }

  async function closeAll(): Promise<void> {
    chores.stop()
    await Promise.all([...receivers].map((receiver) => receiver.close()))
    const reason = new RedriveError('closed', 'The embedded transport was closed; what it held was released.')
    await settling.releaseAll(reason, (job) => writer.perform(job))
    // The reader first: the last connection to close merges the log into the file.
    await reader.close()
    await writer.close()
  }

  return {
    name: 'embedded',
    capabilities,

    async provision(wanted, mode) {
      checkOpen()
      if (mode === 'apply') return writer.perform<'provision'>({ kind: 'provision', wanted })
      return isStillToBeMade(file) ? allMissing(wanted) : reader.ask({ kind: 'check', wanted })
    },

    async receive(address, receiveOptions) {
      checkOpen()
      const channel = await writer.perform<'find'>({ kind: 'find', channel: nameOf(address) })
      checkOpen()
      const onClose = (closed: LeaseReceiver) => {
        receivers.delete(closed)
        writer.hold(receivers.size > 0)
      }
      const receiver = createReceiver({
        ...{ clock, store: writer, holdings, channel, address, onClose, leaseEnd, inParts: false },
        options: receiveOptions,
        onWait: chores.watchOthers,
      })
      receivers.add(receiver)
      writer.hold(true)
      chores.start()
      return receiver
    },

    extend(delivery, ms) {
      const until = leaseEnd(clock.now() + ms)
      return settling.extend(delivery, until, ({ hold }) => writer.perform<'extend'>({ kind: 'extend', hold, until }))
    },

    settle: settling.settle,

    async send(address, message, { dedupId, delay = 0 } = {}) {
      checkOpen()
      const content = contentOf(message, capabilities.messages)
      const job = { kind: 'send', to: nameOf(address), content, delay } as const
      const { id, duplicate } = await writer.perform<'send'>(dedupId === undefined ? job : { ...job, dedupId })
      return { position: String(id), duplicate }
    },

    async browse(address, { limit, after = '0' }) {
      checkOpen()
      if (!/^\d{1,16}$/.test(after)) throw new RedriveError('bad-option', `"${after}" is not the \`next\` of a page.`)
      return pageOf(await reader.ask({ kind: 'browse', channel: nameOf(address), after: Number(after), limit }))
    },

    async remove(address, position) {
      checkOpen()
      const id = /^\d{1,16}$/.test(position) ? Number(position) : 0
      return writer.perform<'remove'>({ kind: 'remove', channel: nameOf(address), id })
    },

    async measure(address) {
      checkOpen()
      const { retained, oldestAt } = await reader.ask({ kind: 'measure', channel: nameOf(address) })
      return { retained, pending: retained, ...(oldestAt === null ? {} : { oldestAt }) }
    },

    close() {
      closing ??= closeAll()
      return closing
    },
  }
}

function pageOf({ ids, deliveries, sentAt, contents, more }: BrowsedPage): Page {
  const messages = unpackContents(contents).map(({ envelope, body }, index) => ({
    message: decodeMessage(envelope, body),
    position: String(ids[index]),
    deliveries: deliveries[index] ?? 0,
    enqueuedAt: sentAt[index] ?? 0,
  }))
  return more ? { messages, next: String(ids.at(-1)) } : { messages }
}
