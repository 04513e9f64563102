import type { ConsumerChannel } from '../../api/consumers.ts'
import { numberText } from '../../parts/number.model.ts'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { Ordered } from './ordered.tsx'
import { SteerButton } from './steer-button.tsx'

interface ChannelRowProps {
  readonly service: string
  readonly channel: ConsumerChannel
}

export function ChannelRow({ service, channel }: ChannelRowProps) {
  const { name, group, state, counts, held, spooled, order } = channel
  return (
    <tr>
      <th scope="row">
        <span className="font-mono">{seen(name)}</span>
        {group !== null && <span className="block text-xs text-muted">{seen(group)}</span>}
      </th>
      <td>
        <State of={state} />
        <Ordered order={order} />
      </td>
      <td className="text-right">{numberText(counts.received)}</td>
      <td className="text-right">{numberText(counts.completed)}</td>
      <td className="text-right">{numberText(counts.deadLettered)}</td>
      <td className="text-right">{numberText(held + spooled)}</td>
      <td className="text-right">
        <SteerButton service={service} channel={name} order={order} />
      </td>
    </tr>
  )
}
