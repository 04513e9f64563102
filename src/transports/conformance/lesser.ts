import { RedriveError } from '../../core/errors.ts'
import { headerText } from '../../core/headers.ts'
import type { Header, Message } from '../../core/message.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Delivery, Transport } from '../seam.ts'
import type { Finding, WantedChannel } from '../topology.ts'
import { mistake, receivers, type Twin } from './twins/planting.ts'

/**
 * A transport that lacks one ability, says so and refuses as it should. With these the suite is examined itself: it must pass
 * a lesser transport that is honest, and fail one that hides a lack or keeps an ability to itself.
 */
export interface Lack {
  declare(capabilities: Capabilities): Capabilities
  readonly behave: Twin
  /** Whether the suite can tell that a transport has more than it declares. */
  readonly hiddenAbilityShows: boolean
}

const unsupported = (): Promise<never> => Promise.reject(new RedriveError('unsupported', 'This broker cannot do that.'))
const badMessage = (what: string): Promise<never> => Promise.reject(new RedriveError('bad-message', what))
const week = 7 * 24 * 3_600_000
const strictText = new TextDecoder('utf-8', { fatal: true })

function lack(declare: Lack['declare'], behave: Twin, hiddenAbilityShows = true): Lack {
  return { declare, behave, hiddenAbilityShows }
}

function inMessages(change: Partial<Capabilities['messages']>): Lack['declare'] {
  return (capabilities) => ({ ...capabilities, messages: { ...capabilities.messages, ...change } })
}

function inRetry(change: Partial<Capabilities['retry']>): Lack['declare'] {
  return (capabilities) => ({ ...capabilities, retry: { ...capabilities.retry, ...change } })
}

/** Refuses messages that it cannot hold, wherever they would be written. */
function refusesMessages(cannotHold: (message: Message) => boolean): Twin {
  return mistake((transport) => ({
    send: (address, message, options) =>
      cannotHold(message) ? badMessage('The broker cannot hold it.') : transport.send(address, message, options),
  }))
}

function refusesSettlements(refuse: (settlement: Parameters<Transport['settle']>[1]) => Promise<never> | undefined): Twin {
  return mistake((transport) => ({
    settle: (delivery, settlement) => refuse(settlement) ?? transport.settle(delivery, settlement),
  }))
}

/** Leaves something out of what it provisions, and tells. */
function leavesOut(setting: 'lanes' | 'ttl'): Twin {
  return mistake((transport) => ({
    async provision({ channels }, mode) {
      const findings = await transport.provision({ channels: channels.map((wanted) => without(wanted, setting)) }, mode)
      const asked = channels.filter((wanted) => wanted[setting] !== undefined)
      return [...findings, ...asked.map((wanted) => notSupported(wanted, setting))]
    },
  }))
}

function without(wanted: WantedChannel, setting: 'lanes' | 'ttl'): WantedChannel {
  const { [setting]: _, ...rest } = wanted
  return rest
}

function notSupported({ address }: WantedChannel, setting: string): Finding {
  return { severity: 'warning', address, what: `${setting}-unsupported`, message: `${address.name} cannot have ${setting}.` }
}

function seesDeliveries(change: (delivery: Delivery) => Delivery): Twin {
  return mistake((transport) =>
    receivers(transport, (receiver) => ({ take: async (max, wait) => (await receiver.take(max, wait)).map(change) })),
  )
}

function textOnly(message: Message): Message {
  return { ...message, headers: message.headers.map(([name, value]): Header => [name, headerText(value) ?? '']) }
}

function isNotText({ body }: Message): boolean {
  try {
    strictText.decode(body ?? new Uint8Array(0))
    return false
  } catch {
    return true
  }
}

/** Headers come back as text, and what is no text is refused. */
const holdsTextHeaders: Twin = mistake((transport) => ({
  send: (address, message, options) =>
    message.headers.some(([, value]) => typeof value === 'object')
      ? badMessage('The broker holds text in headers.')
      : transport.send(address, textOnly(message), options),
}))

/** A delivery is ours until the connection ends. */
const holdsByConnection: Twin = mistake((transport) => ({
  receive: (address, options) => transport.receive(address, { ...options, hold: Number.POSITIVE_INFINITY }),
  extend: (delivery) => transport.extend(delivery, Number.POSITIVE_INFINITY),
}))

export const lacks: Readonly<Record<string, Lack>> = {
  'cannot retry by itself': lack(
    inRetry({ by: 'copy', inPlace: false }),
    refusesSettlements(({ kind }) => (kind === 'retry' ? unsupported() : undefined)),
  ),
  'cannot change headers on a retry': lack(
    inRetry({ headers: false }),
    refusesSettlements((settlement) => (settlement.kind === 'retry' && settlement.headers ? unsupported() : undefined)),
  ),
  'cannot wait for a year': lack(
    inRetry({ maxDelay: week }),
    mistake((transport) => ({
      settle: (delivery, settlement) =>
        settlement.kind === 'retry' && settlement.delay > week ? unsupported() : transport.settle(delivery, settlement),
      send: (address, message, options) =>
        (options?.delay ?? 0) > week ? unsupported() : transport.send(address, message, options),
    })),
  ),
  'has no dead-lettering of its own': lack(
    (capabilities) => ({ ...capabilities, deadLetter: { native: false, carriesFailure: false } }),
    refusesSettlements(({ kind }) => (kind === 'reject' ? unsupported() : undefined)),
  ),
  'dead-letters without the failure': lack(
    (capabilities) => ({ ...capabilities, deadLetter: { native: true, carriesFailure: false } }),
    mistake((transport) => ({
      settle: (delivery, settlement) =>
        transport.settle(
          delivery,
          settlement.kind === 'reject'
            ? { kind: 'reject', failure: { ...settlement.failure, reason: '', description: '' } }
            : settlement,
        ),
    })),
  ),
  'cannot move in one step': lack(
    (capabilities) => ({ ...capabilities, move: 'none' }),
    refusesSettlements(({ kind }) => (kind === 'move' ? unsupported() : undefined)),
  ),
  'cannot browse': lack(
    (capabilities) => ({ ...capabilities, browse: 'none', remove: 'none' }),
    refusesUnlessClosed('browse', 'remove'),
  ),
  'cannot remove': lack((capabilities) => ({ ...capabilities, remove: 'none' }), refusesUnlessClosed('remove')),
  'keeps no order': lack((capabilities) => ({ ...capabilities, ordering: 'none' }), leavesOut('lanes')),
  'does not deduplicate': lack(
    (capabilities) => ({ ...capabilities, deduplication: 0 }),
    mistake((transport) => ({
      send: (address, message, options) => transport.send(address, message, options?.delay ? { delay: options.delay } : {}),
    })),
  ),
  'cannot delay a send': lack(
    (capabilities) => ({ ...capabilities, delayedSend: 0 }),
    mistake((transport) => ({
      send: (address, message, options) => (options?.delay ? unsupported() : transport.send(address, message, options)),
    })),
  ),
  'knows no time to live': lack((capabilities) => ({ ...capabilities, ttl: false }), leavesOut('ttl')),
  'holds text in headers': lack(inMessages({ headers: 'text' }), holdsTextHeaders),
  'holds one header of each name': lack(
    inMessages({ repeatedHeaders: false }),
    refusesMessages(({ headers }) => new Map(headers).size < headers.length),
  ),
  'has no null bodies': lack(
    inMessages({ tombstones: false }),
    refusesMessages(({ body }) => body === null),
  ),
  'holds text in bodies': lack(inMessages({ binary: false }), refusesMessages(isNotText)),
  'holds by the connection': lack((capabilities) => ({ ...capabilities, hold: 'connection' }), holdsByConnection),
  'counts deliveries': lack(
    (capabilities) => ({ ...capabilities, counts: 'deliveries' }),
    seesDeliveries((delivery) => ({ ...delivery, turns: delivery.deliveries - 1, suspect: delivery.deliveries > 1 })),
    false,
  ),
}

/** After close even what is unsupported rejects with `closed`. */
function refusesUnlessClosed(...verbs: readonly ('browse' | 'remove')[]): Twin {
  return mistake((transport) => {
    let closed = false
    const refuse = (): Promise<never> => (closed ? Promise.reject(new RedriveError('closed', 'It is closed.')) : unsupported())
    return {
      ...Object.fromEntries(verbs.map((verb) => [verb, refuse])),
      close() {
        closed = true
        return transport.close()
      },
    }
  })
}
