import { createSecureContext } from 'node:tls'
import type { ChannelCredentials, ClientDuplexStream, ClientReadableStream, Metadata, ServiceError } from '@grpc/grpc-js'
import type { Resource } from 'rocketmq-client-nodejs/proto/apache/rocketmq/v2/definition_pb.js'
import type { MessagingServiceClient } from 'rocketmq-client-nodejs/proto/apache/rocketmq/v2/service_grpc_pb.js'
import type {
  QueryRouteResponse,
  ReceiveMessageRequest,
  ReceiveMessageResponse,
  TelemetryCommand,
} from 'rocketmq-client-nodejs/proto/apache/rocketmq/v2/service_pb.js'
import { systemClock } from '../../platform/clock.ts'
import { lostError, proxyError } from './answers.ts'
import { type Library, loadLibrary, type ProtobufDuration } from './library.ts'
import type { Settings } from './options.ts'
import { signedTime } from './signature.ts'

/** The gRPC proxy, which messages go through. The connection is made on the first call, and made anew when it was lost. */
export interface Gateway {
  readonly library: Library
  resource(name: string): Resource
  /** Rounded up, as everything that is promised for so long. */
  duration(ms: number): ProtobufDuration
  /** One question, one answer. Rejects with what a refusal means. */
  ask<Name extends Unary>(name: Name, request: RequestOf<Name>, client: string): Promise<AnswerOf<Name>>
  receive(request: ReceiveMessageRequest, client: string, patience: number): ClientReadableStream<ReceiveMessageResponse>
  telemetry(client: string): ClientDuplexStream<TelemetryCommand, TelemetryCommand>
  close(): void
}

type Unary = 'sendMessage' | 'ackMessage' | 'changeInvisibleDuration' | 'heartbeat' | 'notifyClientTermination' | 'queryRoute'
type Callback<Answer> = (error: ServiceError | null, answer: Answer) => void
type Call<Request, Answer> = (
  request: Request,
  metadata: Metadata,
  options: { readonly deadline: number },
  callback: Callback<Answer>,
) => unknown
type Service = typeof import('rocketmq-client-nodejs/proto/apache/rocketmq/v2/service_pb.js')
type Capital<Name extends Unary> = Capitalize<Name>
type RequestOf<Name extends Unary> = InstanceType<Service[`${Capital<Name>}Request`]>
type AnswerOf<Name extends Unary> = InstanceType<Service[`${Capital<Name>}Response`]>

const ok = 20_000
/** Of several results, each has its own status. */
const severalResults = 30_000

/** Whoever asks knows better what may be repeated; and a broker that restarts is back within seconds. */
const channelOptions = {
  'grpc.enable_retries': 0,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.use_local_subchannel_pool': 1,
}

export function createGateway(settings: Settings): Gateway {
  const { answerWithin, newId, credentials } = settings
  const library = loadLibrary()
  const { grpc, definition } = library
  const client: MessagingServiceClient = new library.MessagingServiceClient(settings.proxy, credentialsFor(settings, library), {
    ...channelOptions,
    ...targetName(settings),
  })

  function metadata(clientId: string): Metadata {
    const made = new grpc.Metadata()
    made.set('x-mq-protocol', 'v2')
    made.set('x-mq-client-id', clientId)
    made.set('x-mq-request-id', newId())
    made.set('x-mq-client-version', '5.0.0')
    // The proxy knows no other word for a client that is none of Apache's own.
    made.set('x-mq-language', 'HTTP')
    if (credentials) for (const [name, value] of signedTime(credentials, systemClock.now())) made.set(name, value)
    return made
  }

  /** gRPC counts in time of the machine's own clock. */
  const deadline = (patience: number): number => systemClock.now() + answerWithin + patience

  return {
    library,
    resource: (name) => new definition.Resource().setName(name),
    duration: (ms) =>
      new library.Duration().setSeconds(Math.floor(Math.ceil(ms) / 1000)).setNanos((Math.ceil(ms) % 1000) * 1_000_000),

    ask(name, request, clientId) {
      type Answer = AnswerOf<typeof name>
      return new Promise((resolve, reject) => {
        const call = (client[name] as unknown as Call<typeof request, Answer>).bind(client)
        call(request, metadata(clientId), { deadline: deadline(0) }, (error, answer) => {
          if (error) return reject(lostError(error))
          const code: number = answer.getStatus()?.getCode() ?? ok
          return code === ok || code === severalResults ? resolve(answer) : reject(proxyError(code))
        })
      })
    },

    receive: (request, clientId, patience) =>
      client.receiveMessage(request, metadata(clientId), { deadline: deadline(patience) }),
    telemetry: (clientId) => client.telemetry(metadata(clientId)),
    close: () => client.close(),
  }
}

function credentialsFor({ tls }: Settings, { grpc }: Library): ChannelCredentials {
  if (!tls) return grpc.credentials.createInsecure()
  const { rejectUnauthorized = true, checkServerIdentity } = tls
  const verify = { rejectUnauthorized, ...(checkServerIdentity && { checkServerIdentity }) }
  return grpc.credentials.createFromSecureContext(createSecureContext(tls), verify)
}

/** Where the certificate names the server otherwise than the address does. */
function targetName({ tls }: Settings): Readonly<Record<string, string>> {
  return tls?.servername === undefined ? {} : { 'grpc.ssl_target_name_override': tls.servername }
}

/** Rejects with `unknown-channel` where the proxy knows no such topic. */
export function askRoute(gateway: Gateway, topic: string): Promise<QueryRouteResponse> {
  const request = new gateway.library.service.QueryRouteRequest().setTopic(gateway.resource(topic))
  return gateway.ask('queryRoute', request, 'redrive-router')
}
