import type { ClientDuplexStream } from '@grpc/grpc-js'
import type { TelemetryCommand } from 'rocketmq-client-nodejs/proto/apache/rocketmq/v2/service_pb.js'
import { RedriveError } from '../../core/errors.ts'
import { repeating } from '../leases/repeating.ts'
import { lostError, proxyError } from './answers.ts'
import type { Gateway } from './gateway.ts'
import type { Channel } from './names.ts'
import type { Settings } from './options.ts'

/** A channel, and who we are to the proxy where it is concerned. */
export interface Subscription extends Channel {
  readonly session: Session
}

/**
 * Somebody who receives and settles, as the proxy knows it. It must have said on a stream what it subscribes to before it asks for messages, and is
 * forgotten when it is silent for too long.
 */
export interface Session {
  readonly client: string
  /** Resolves when the proxy knows this consumer, which it has to be told again after it was gone. */
  ready(): Promise<void>
  /** The proxy has forgotten it. */
  forgotten(): void
  close(): Promise<void>
}

/** The proxy forgets whoever is silent for two minutes. Milliseconds. */
const heartbeatEvery = 10_000

type Stream = ClientDuplexStream<TelemetryCommand, TelemetryCommand>

export function createSession(gateway: Gateway, settings: Settings, { topic, group }: Channel): Session {
  const { clock, answerWithin, newId } = settings
  const { definition, service } = gateway.library
  const client = `redrive-${newId()}`
  let stream: Stream | undefined
  let introduced: Promise<void> | undefined
  const pulse = repeating(clock, heartbeatEvery, () => void heartbeat().catch(() => {}))

  function introduction(): TelemetryCommand {
    const everything = new definition.FilterExpression().setType(definition.FilterType.TAG).setExpression('*')
    const entry = new definition.SubscriptionEntry().setTopic(gateway.resource(topic)).setExpression(everything)
    const subscription = new definition.Subscription().setGroup(gateway.resource(group)).setSubscriptionsList([entry])
    const agent = new definition.UA().setLanguage(definition.Language.NODE_JS).setVersion('5.0.0').setPlatform('node')
    return new service.TelemetryCommand().setSettings(
      new definition.Settings()
        .setClientType(definition.ClientType.SIMPLE_CONSUMER)
        .setSubscription(subscription)
        .setUserAgent(agent),
    )
  }

  /** The answer to an introduction is what the proxy makes of it. */
  function introduce(): Promise<void> {
    return new Promise((resolve, reject) => {
      const opened: Stream = gateway.telemetry(client)
      const fail = (error: RedriveError): void => {
        cancel()
        end(opened)
        reject(error)
      }
      const silent = (): void => fail(new RedriveError('unsure', `The proxy did not answer within ${answerWithin} ms.`))
      const cancel = clock.after(answerWithin, silent)
      stream = opened
      opened.on('error', (error) => fail(lostError(error)))
      opened.on('end', () => fail(new RedriveError('unsure', 'The proxy ended the conversation.')))
      opened.on('data', (command: TelemetryCommand) => {
        cancel()
        const code: number = command.getStatus()?.getCode() ?? 0
        if (command.hasSettings()) resolve()
        else if (code !== 0) fail(proxyError(code))
      })
      opened.write(introduction())
    })
  }

  /** Its errors are listened to for as long as it lives: one that nobody hears would end the process. */
  function end(ended: Stream): void {
    if (stream === ended) {
      stream = undefined
      introduced = undefined
    }
    ended.cancel()
  }

  async function heartbeat(): Promise<void> {
    const request = new service.HeartbeatRequest()
      .setGroup(gateway.resource(group))
      .setClientType(definition.ClientType.SIMPLE_CONSUMER)
    await gateway.ask('heartbeat', request, client)
  }

  async function begin(): Promise<void> {
    await introduce()
    await heartbeat()
    pulse.start()
  }

  function forgotten(): void {
    if (stream) end(stream)
  }

  return {
    client,
    ready() {
      if (introduced) return introduced
      const own = begin()
      introduced = own
      // Who asked hears of it; the next one who asks begins anew.
      own.catch(() => {
        if (introduced === own) forgotten()
        if (introduced === own) introduced = undefined
      })
      return own
    },
    forgotten,
    async close() {
      pulse.stop()
      if (!introduced) return
      const request = new service.NotifyClientTerminationRequest().setGroup(gateway.resource(group))
      await gateway.ask('notifyClientTermination', request, client).catch(() => {})
      forgotten()
    },
  }
}
