import type { Consumer, ConsumerChannel } from '../../api/consumers.ts'

/** One channel of one service, over all of its processes: that is what people pause and resume. */
export interface SteeredChannel {
  readonly service: string
  readonly name: string
  readonly group: string | null
  readonly states: readonly { readonly state: ConsumerChannel['state']; readonly processes: number }[]
  readonly order: ConsumerChannel['order']
}

/** Those that said goodbye have nothing to pause. */
export function steeredChannels(consumers: readonly Consumer[]): readonly SteeredChannel[] {
  const running = consumers.filter(({ state }) => state !== 'stopped')
  const every = running.flatMap(({ service, channels }) => channels.map((channel) => ({ service, channel })))
  const groups = Map.groupBy(every, ({ service, channel: { name, group } }) => JSON.stringify([service, name, group]))
  return [...groups.values()].flatMap((own) => {
    const [first] = own
    if (!first) return []
    const { name, group, order } = first.channel
    return [{ service: first.service, name, group, order, states: statesOf(own.map(({ channel }) => channel)) }]
  })
}

function statesOf(channels: readonly ConsumerChannel[]): SteeredChannel['states'] {
  const byState = Map.groupBy(channels, ({ state }) => state)
  return [...byState].map(([state, own]) => ({ state, processes: own.length }))
}
