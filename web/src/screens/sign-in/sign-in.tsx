import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useEnter } from '../../api/session.ts'
import { Field } from '../../parts/field.tsx'
import { Card } from './card.tsx'

export function SignInScreen() {
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
