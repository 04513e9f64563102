import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import rhea, { type Connection, type Delivery, type EventContext, type Typed } from 'rhea'
import { createDispositionPace, type DispositionPace } from '../../src/transports/servicebus/disposition-pace.ts'
import { startAdmin } from './admin.ts'
import { answerEveryDrain, type InLink, keepBytes, type OutLink, pathOf, refuse } from './amqp-links.ts'
import { createClaims } from './cbs.ts'
import { createConsumers } from './consumers.ts'
import { accepted, dispositionKind, type Outcome, refusal, settle } from './dispositions.ts'
import { type Faults, faultDesk } from './faults.ts'
import { noJournal, openJournal } from './journal.ts'
import { createNamespace, type Namespace } from './namespace.ts'
import { createOrders } from './orders.ts'
import { putToken, request } from './requests.ts'
import { restore } from './restore.ts'
import { unpackBatch } from './sections.ts'
import { type ServerClock, serverClock } from './server-clock.ts'
import { ServiceError } from './service-error.ts'

/**
 * A Service Bus namespace that the unmodified SDKs talk to: AMQP 1.0 on one port, the administration API over HTTP on another. It
 * listens on loopback, keeps everything in memory, or in a journal too, and fails when it is told to.
 */
export interface ServiceBusServer {
  readonly connectionString: string
  readonly adminEndpoint: string
  readonly port: number
  readonly namespace: Namespace
  readonly clock: ServerClock
  readonly faults: Faults
  /** Ends every connection without a word. */
  cut(): void
  /** Ends every link that receives from this entity, as the service does when it moves or has been idle. */
  detach(path: string): void
  /** Nobody can connect until `resume`; what was accepted is kept, as the service keeps it. */
  pause(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly port?: number
  readonly adminPort?: number
  /** A file in which everything is kept that was confirmed; another server goes on from there. */
  readonly journal?: string
  /** A planted fault: messages are not kept there, though they are confirmed. */
  readonly forgetsMessages?: boolean
  /** Names and values of shared access keys; without them every token is good. */
  readonly keys?: Readonly<Record<string, string>>
  /** `lazy`, as the service does it: nothing expires while nobody receives. Default: `lazy`. */
  readonly expiry?: 'lazy' | 'eager'
}

type Role =
  | { readonly kind: 'cbs' }
  | { readonly kind: 'management'; readonly path: string }
  | { readonly kind: 'send'; readonly path: string }

const batchFormat = 0x80013700
/** Whatever size the messages of an entity may have. */
const largestBatch = 1024 * 1024

export async function startServer(options: ServerOptions = {}): Promise<ServiceBusServer> {
  const host = '127.0.0.1'
  const clock = serverClock()
  const faults = faultDesk()
  const claims = createClaims(options.keys)
  const connections = new Set<Connection>()
  const roles = new WeakMap<object, Role>()
  const paces = new WeakMap<object, DispositionPace>()
  const consumers = createConsumers({ namespace: () => namespace, expiry: options.expiry ?? 'lazy' })
  const { journal: file, forgetsMessages = false } = options
  const journal = file === undefined ? noJournal : openJournal(file, forgetsMessages ? ['entity', 'removed'] : undefined)
  const namespace = createNamespace(clock, { ready: consumers.wake, taken: consumers.loseSession }, journal)
  restore(namespace, journal)

  function checkClaim(connection: Connection, path: string, right: string): void {
    if (options.keys && !claims.has(connection, path))
      throw new ServiceError('amqp:unauthorized-access', `Unauthorized access. '${right}' claim(s) are required.`, 401)
  }

  function clientSends(link: InLink, connection: Connection): void {
    const path = pathOf(link.target?.address)
    link.set_source({ address: link.source?.address })
    link.set_target({ address: path })
    try {
      if (path === '$cbs') roles.set(link, { kind: 'cbs' })
      else if (path.toLowerCase().endsWith('/$management')) {
        const entity = path.slice(0, -'/$management'.length)
        if (!namespace.topic(entity)) namespace.store(entity)
        roles.set(link, { kind: 'management', path: entity })
      } else {
        link.local.attach.max_message_size = namespace.maxMessageSize(path)
        checkClaim(connection, path, 'Send')
        faults.check('attach', path)
        roles.set(link, { kind: 'send', path })
      }
    } catch (error) {
      refuse(link, error)
    }
  }

  function clientReceives(link: OutLink, connection: Connection): void {
    const path = pathOf(link.source?.address)
    link.set_source({ address: path })
    link.set_target({ address: link.target?.address })
    answerEveryDrain(link)
    const { attach } = link.local
    attach.snd_settle_mode = link.snd_settle_mode
    attach.rcv_settle_mode = link.rcv_settle_mode
    if (path === '$cbs' || path.toLowerCase().endsWith('/$management')) return
    try {
      checkClaim(connection, path, 'Listen')
      faults.check('attach', path)
      consumers.open(link, path)
    } catch (error) {
      refuse(link, error)
    }
  }

  function dropConnection(connection: Connection): void {
    if (connections.delete(connection)) consumers.dropAll(connection)
  }

  function onDisposition({ sender, delivery }: EventContext, outcome: Outcome): void {
    const consumer = sender && consumers.of(sender)
    const token = delivery && consumer?.unsettled.get(delivery.id)
    if (!delivery || !consumer || token === undefined) return
    consumer.unsettled.delete(delivery.id)
    let answer: Typed
    try {
      faults.check('settle', consumer.store.path)
      if (outcome === 'rejected') faults.check('dead-letter', consumer.store.path)
      answer = settle(consumer.store, token, outcome, (delivery.remote_state ?? {}) as object)
      if (faults.losesDisposition(consumer.store.path)) return
    } catch (error) {
      answer = refusal(error)
    }
    tell(consumer.link.session, delivery, answer)
  }

  /** Rhea would merge answers that differ, as it does at the other end. */
  function tell(session: object, delivery: Delivery, outcome: Typed): void {
    const pace = paces.get(session) ?? createDispositionPace({ soon: setImmediate })
    paces.set(session, pace)
    pace.run({ kind: dispositionKind(outcome), delivery: delivery.id }, () => {
      delivery.update(true, outcome)
      // A client on rhea sends no second disposition, and the slot would never be free.
      ;(delivery as { remote_settled: boolean }).remote_settled = true
    })
  }

  function onMessage(context: EventContext): void {
    const { receiver, delivery, message } = context
    const role = receiver && roles.get(receiver)
    if (!delivery || !role) return
    if (role.kind === 'send') {
      take(role.path, message as unknown as Buffer, (outcome) => tell(receiver.session, delivery, outcome), delivery.format)
      return
    }
    tell(receiver.session, delivery, accepted())
    if (role.kind === 'cbs') putToken(context, claims)
    else request(context, role.path, namespace, faults)
  }

  function take(path: string, bytes: Buffer, answer: (outcome: Typed) => void, format: number): void {
    try {
      faults.check('send', path)
      const largest = namespace.maxMessageSize(path)
      if (bytes.length > (format === batchFormat ? Math.min(largest, largestBatch) : largest))
        throw new ServiceError('amqp:link:message-size-exceeded', `The message of ${bytes.length} bytes exceeds the limit.`)
      namespace.sendAll(path, format === batchFormat ? unpackBatch(bytes) : [bytes])
      answer(accepted())
    } catch (error) {
      answer(refusal(error))
    }
  }

  const container = rhea.create_container({ id: `service-bus-${process.pid}` })
  const mechanisms = container.sasl_server_mechanisms as unknown as {
    enable_anonymous(): void
    ANONYMOUS: unknown
    MSSBCBS: unknown
  }
  mechanisms.enable_anonymous()
  // How the SDKs of .NET, Java and Python say the same.
  mechanisms.MSSBCBS = mechanisms.ANONYMOUS
  container.on('connection_open', ({ connection }: EventContext) => connections.add(connection))
  for (const event of ['connection_close', 'disconnected'])
    container.on(event, ({ connection }: EventContext) => dropConnection(connection))
  for (const event of ['connection_error', 'session_error', 'receiver_error', 'sender_error', 'protocol_error', 'error'])
    container.on(event, () => {})
  container.on('session_open', ({ session }: EventContext) => {
    if (session) keepBytes(session, (link) => roles.get(link)?.kind === 'send')
  })
  container.on('receiver_open', ({ receiver, connection }: EventContext) =>
    clientSends(receiver as unknown as InLink, connection),
  )
  container.on('sender_open', ({ sender, connection }: EventContext) => clientReceives(sender as unknown as OutLink, connection))
  container.on('sender_close', ({ sender }: EventContext) => sender && consumers.drop(sender))
  container.on('message', onMessage)
  container.on('sender_flow', ({ sender }: EventContext) => sender && consumers.pumpFor(sender))
  container.on('sender_draining', ({ sender }: EventContext) => {
    if (sender) consumers.pumpFor(sender)
    sender?.set_drained(true)
  })
  for (const outcome of ['accepted', 'rejected', 'modified', 'released'] as const)
    container.on(outcome, (context: EventContext) => onDisposition(context, outcome))

  async function listen(port: number): Promise<Server> {
    const opened = container.listen({
      host,
      port,
      max_frame_size: 65_536,
      idle_time_out: 240_000,
      channel_max: 4999,
      tcp_no_delay: true,
      session_buffer_size: { outgoing: 8192, incoming: 4096 },
      sender_options: { autosettle: false, treat_modified_as_released: false },
      receiver_options: { autoaccept: false, credit_window: 1000 },
    } as Parameters<typeof container.listen>[0]) as Server
    await once(opened, 'listening')
    return opened
  }

  function cut(): void {
    for (const connection of [...connections]) {
      const { socket } = connection as unknown as { socket: { destroy(): void } }
      socket.destroy()
      dropConnection(connection)
    }
  }

  async function stopListening(): Promise<void> {
    const closed = once(listening, 'close')
    listening.close()
    cut()
    await closed
  }

  let listening = await listen(options.port ?? 0)
  const { port } = listening.address() as AddressInfo
  const orders = createOrders({ namespace, faults, cut, detach: consumers.detach })
  const admin = await startAdmin(namespace, orders, options.adminPort ?? 0)
  const [keyName = 'RootManageSharedAccessKey', key = 'SAS_KEY_VALUE'] = Object.entries(options.keys ?? {})[0] ?? []

  return {
    connectionString: `Endpoint=sb://${host}:${port};SharedAccessKeyName=${keyName};SharedAccessKey=${key};UseDevelopmentEmulator=true;`,
    adminEndpoint: admin.endpoint,
    port,
    namespace,
    clock,
    faults,
    cut,
    detach: consumers.detach,
    pause: stopListening,
    async resume() {
      listening = await listen(port)
    },
    async stop() {
      clock.stop()
      await Promise.all([stopListening(), admin.stop()])
      journal.close()
    },
  }
}
