import type { Scenario } from './scenario.ts'

/** What can be measured by name. Loaded when asked for: a process that runs one contender knows nothing of the other transports. */
export const suites: Readonly<Record<string, () => Promise<readonly Scenario[]>>> = {
  memory: async () => (await import('./memory.ts')).memoryScenarios,
  embedded: async () => (await import('./embedded.ts')).embeddedScenarios,
  kafka: async () => (await import('./kafka.ts')).kafkaScenarios,
  postgres: async () => (await import('./postgres.ts')).postgresScenarios,
  rabbitmq: async () => (await import('./rabbitmq.ts')).rabbitmqScenarios,
  redis: async () => (await import('./redis.ts')).redisScenarios,
  rocketmq: async () => (await import('./rocketmq.ts')).rocketmqScenarios,
  servicebus: async () => (await import('./servicebus.ts')).servicebusScenarios,
  replay: async () => (await import('./replay.ts')).replayScenarios,
  sqs: async () => (await import('./sqs.ts')).sqsScenarios,
  'half-load': async () => (await import('./half-load-contenders.ts')).halfLoadScenarios,
}
