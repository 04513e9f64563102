/** As Azure Service Bus writes the path of a dead-letter sub-queue: of a queue, or of a subscription. */
const path = /^(.+?)(?:\/Subscriptions\/([^/]+))?\/\$DeadLetterQueue$/i

export interface SubQueue {
  readonly name: string
  /** The subscription. */
  readonly group?: string
}

export function subQueueIn(text: string): SubQueue | undefined {
  const [, name, group] = path.exec(text) ?? []
  return name === undefined ? undefined : { name, ...(group !== undefined && { group }) }
}

export function subQueueOf(name: string, group: string | undefined): string {
  return `${name}${group === undefined ? '' : `/Subscriptions/${group}`}/$DeadLetterQueue`
}
