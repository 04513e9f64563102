import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'

/** The way to the issuer and back to where somebody wanted to go. */
export function WithIssuer({ name }: { readonly name: string }) {
  const begin = useMutation({
    mutationFn: () => {
      const { pathname, search } = location
      return call('POST /session/oidc', { body: { returnTo: `${pathname}${search}` } })
    },
    onSuccess: ({ url }) => location.assign(url),
  })
  return (
    <div className="mt-4 grid gap-3">
      {begin.error && <Problem error={begin.error} />}
      <Button onClick={() => begin.mutate()} busy={begin.isPending || begin.isSuccess} className="min-h-9">
        {seen(name)}
      </Button>
    </div>
  )
}
