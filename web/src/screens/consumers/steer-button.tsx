import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ConsumerChannel, consumersQuery, steer } from '../../api/consumers.ts'
import { useLack } from '../../api/session.ts'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { useToast } from '../../shell/toast.tsx'

interface SteerButtonProps {
  readonly service: string
  readonly channel: string
  readonly order: ConsumerChannel['order']
}

/** Pauses a channel for all consumers of a service, or lets them go on. */
export function SteerButton({ service, channel, order }: SteerButtonProps) {
  const say = useToast()
  const client = useQueryClient()
  const cannot = useLack()('consumers:steer')
  const wanted = order?.order === 'pause' ? 'resume' : 'pause'
  const change = useMutation({
    mutationFn: () => steer(wanted, service, channel),
    onSuccess: () => {
      say(`All consumers of ${seen(service)} are told to ${wanted} ${seen(channel)} with their next report.`)
      return client.invalidateQueries({ queryKey: consumersQuery.queryKey })
    },
  })
  return (
    <>
      <Button reason={cannot} busy={change.isPending} onClick={() => change.mutate()}>
        {wanted === 'pause' ? 'Pause' : 'Resume'}
        <span className="sr-only"> {seen(channel)}</span>
      </Button>
      {change.error && <Problem error={change.error} />}
    </>
  )
}
