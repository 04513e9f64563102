import type { ConsumerChannel } from '../../api/consumers.ts'
import { seen } from '../../parts/seen.model.ts'

/** What was last ordered, and by whom; whether it is so is said beside it. */
export function Ordered({ order }: Pick<ConsumerChannel, 'order'>) {
  if (order === null) return null
  return (
    <span className="block text-xs text-muted">
      told to {order.order} by {seen(order.actor)}
    </span>
  )
}
