import { RedriveError } from '../core/errors.ts'
import { within } from '../core/scopes.ts'
import type { ChannelStatus, ConsumerStatus, Consumers } from '../ops/control-plane.ts'
import { isDeadLetterOf } from '../ops/source.ts'
import type { KnownSource } from '../vault/operations/sources.ts'
import type { Vault } from '../vault/vault.ts'
import type { Principal } from './principal.ts'

/**
 * Keeps everybody to the channels of consumers whose dead letters lie in sources of theirs. A report does not say on which connection, and another
 * environment often has the same names: all sources that it may mean have to be theirs. What whoever reports was given says which those are.
 */
export interface ConsumerSight {
  visible(principal: Principal): Promise<readonly ConsumerStatus[]>
  /** For what is done to channels: there has to be one, and none that may be of others. */
  refuseForeign(principal: Principal, meant: (consumer: ConsumerStatus) => readonly ChannelStatus[]): Promise<void>
}

type IsTheirs = (consumer: ConsumerStatus) => (channel: ChannelStatus) => boolean

export function createConsumerSight(consumers: Pick<Consumers, 'list'>, vault: Pick<Vault, 'read'>): ConsumerSight {
  async function whose(principal: Principal): Promise<IsTheirs> {
    const sources = await vault.read('listSources', undefined)
    return (consumer) => (channel) => {
      const possible = sourcesOf(consumer, channel, sources)
      return possible.length > 0 && possible.every(principal.sees)
    }
  }

  return {
    async visible(principal) {
      const all = await consumers.list()
      if (principal.seesAll) return all
      const isTheirs = await whose(principal)
      return all
        .map((each) => ({ ...each, channels: each.channels.filter(isTheirs(each)) }))
        .filter(({ channels }) => channels.length > 0)
    },
    async refuseForeign(principal, meant) {
      if (principal.seesAll) return
      const isTheirs = await whose(principal)
      const found = (await consumers.list()).filter((each) => meant(each).length > 0)
      if (found.length === 0 || !found.every((each) => meant(each).every(isTheirs(each)))) throw notTheirs()
    },
  }
}

/** Tokens of consumers are kept to the channels that they take from, and often to those of their dead letters. */
function sourcesOf(
  { scopes = [] }: ConsumerStatus,
  { name, deadLetter }: ChannelStatus,
  sources: readonly KnownSource[],
): readonly KnownSource[] {
  const isGiven = within(scopes)
  return sources.filter(
    (source) =>
      isDeadLetterOf(deadLetter, source) && (isGiven({ connection: source.connection, channel: name }) || isGiven(source)),
  )
}

function notTheirs(): RedriveError {
  return new RedriveError(
    'not-allowed',
    'This consumer belongs to sources that you were not given, or may do so: others of that name lie on another connection.',
  )
}
