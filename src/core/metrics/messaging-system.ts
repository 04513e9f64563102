/** What OpenTelemetry's conventions call a broker that we call otherwise. */
const otherwise: ReadonlyMap<string, string> = new Map([['sqs', 'aws_sqs']])

/** The value of `messaging.system` for a transport. */
export function messagingSystem(transport: string): string {
  return otherwise.get(transport) ?? transport
}
