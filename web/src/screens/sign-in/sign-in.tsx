import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { useEnter, waysInQuery } from '../../api/session.ts'
import { Field } from '../../parts/field.tsx'
import { Card, Door } from './card.tsx'
import { WithIssuer } from './with-issuer.tsx'

/** Whatever ways in there are. Not to know them keeps nobody from the one that is nearly always there. */
export function SignInScreen() {
  const { data: ways } = useQuery(waysInQuery)
  const withIssuer = ways?.oidc && <WithIssuer name={ways.oidc.name} />
  if (ways?.passwords === false) {
    return (
      <Door title="Sign in" about="This server knows no passwords.">
        {withIssuer}
      </Door>
    )
  }
  return <WithPassword otherwise={withIssuer} />
}

function WithPassword({ otherwise }: { readonly otherwise: ReactNode }) {
  const enter = useEnter()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useMutation({ mutationFn: () => call('POST /session', { body: { name, password } }), onSuccess: enter })
  return (
    <Card
      title="Sign in"
      about="The first admin sets a password by the link that the server printed when it started."
      action="Sign in"
      onSubmit={() => signIn.mutate()}
      isPending={signIn.isPending}
      error={signIn.error}
      otherwise={otherwise}
    >
      <Field label="Name">
        <input
          className="field w-full"
          name="username"
          autoComplete="username"
          required
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
      <Field label="Password">
        <input
          className="field w-full"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
      </Field>
    </Card>
  )
}
