import type { Subject } from '../core/alerts/identity.ts'
import { inScope, type Rule } from '../core/alerts/rule.ts'
import type { Consumers } from '../ops/control-plane.ts'
import { addressOf, queueOf } from '../ops/source.ts'
import type { Vault } from '../vault/vault.ts'
import { createConsumerSight } from './consumer-sight.ts'
import type { Principal } from './principal.ts'

/** Which rules may raise an alert about something that somebody was given. */
export async function rulesConcerning(
  principal: Principal,
  consumers: Pick<Consumers, 'list'>,
  vault: Pick<Vault, 'read'>,
): Promise<(rule: Rule) => boolean> {
  if (principal.seesAll) return () => true
  const sources = await vault.read('listSources', undefined)
  const connections = [...new Set(sources.map(({ connection }) => connection))]
  const theirs: readonly Subject[] = [
    ...sources
      .filter(principal.sees)
      .map((source) => ({ source: source.connection, queue: queueOf(addressOf(source)), consumerGroup: source.group })),
    ...(await createConsumerSight(consumers, vault).visible(principal)).flatMap(({ service, channels }) =>
      channels.map(({ name, group }) => ({ source: service, queue: name, consumerGroup: group ?? '' })),
    ),
  ]

  /** A channel that letters are sent back to is looked at, too, and in no list: it may be written in the rule, or all that the rule means is theirs. */
  function namesTheirs({ scope: { queue, ...others } }: Rule): boolean {
    const isMeant = inScope(others)
    return (
      queue !== undefined &&
      connections.some((connection) => isMeant({ source: connection }) && principal.sees({ connection, channel: queue }))
    )
  }

  return (rule) => isAboutAll(rule) || theirs.some(inScope(rule.scope)) || namesTheirs(rule)
}

function isAboutAll({ scope: { source, queue, consumerGroup } }: Rule): boolean {
  return source === undefined && queue === undefined && consumerGroup === undefined
}
