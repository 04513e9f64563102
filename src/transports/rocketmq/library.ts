import { createRequire } from 'node:module'
import { RedriveError } from '../../core/errors.ts'

type Grpc = typeof import('@grpc/grpc-js')
type Definition = typeof import('rocketmq-client-nodejs/proto/apache/rocketmq/v2/definition_pb.js')
type Service = typeof import('rocketmq-client-nodejs/proto/apache/rocketmq/v2/service_pb.js')
type ServiceClient = typeof import('rocketmq-client-nodejs/proto/apache/rocketmq/v2/service_grpc_pb.js')

/** What we use of the client library: the protocol that it was generated from, and the gRPC that it brings along. */
export interface Library {
  readonly grpc: Grpc
  readonly definition: Definition
  readonly service: Service
  readonly MessagingServiceClient: ServiceClient['MessagingServiceClient']
  readonly Duration: new () => ProtobufDuration
  readonly Timestamp: { fromDate(date: Date): ProtobufTimestamp }
}

export interface ProtobufDuration {
  setSeconds(seconds: number): ProtobufDuration
  setNanos(nanos: number): ProtobufDuration
}

export interface ProtobufTimestamp {
  toDate(): Date
}

/**
 * Loaded on first use, so that nobody needs it who does not use RocketMQ. Its producers and consumers stay unloaded, and gRPC is taken from
 * where the client finds its own: a second copy would not know the client's classes.
 */
export function loadLibrary(): Library {
  try {
    const requireClient = createRequire(createRequire(import.meta.url).resolve('rocketmq-client-nodejs/package.json'))
    const protocol = './proto/apache/rocketmq/v2'
    return {
      grpc: requireClient('@grpc/grpc-js'),
      definition: requireClient(`${protocol}/definition_pb.js`),
      service: requireClient(`${protocol}/service_pb.js`),
      MessagingServiceClient: requireClient(`${protocol}/service_grpc_pb.js`).MessagingServiceClient,
      Duration: requireClient('google-protobuf/google/protobuf/duration_pb.js').Duration,
      Timestamp: requireClient('google-protobuf/google/protobuf/timestamp_pb.js').Timestamp,
    }
  } catch (cause) {
    const message = 'RocketMQ needs the package rocketmq-client-nodejs. Install it with: npm install rocketmq-client-nodejs@1.0.8'
    throw new RedriveError('missing-library', message, { cause })
  }
}
