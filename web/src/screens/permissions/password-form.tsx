import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useToast } from '../../shell/toast.tsx'

export function PasswordForm() {
  const say = useToast()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useMutation({
    mutationFn: () => call('PUT /session/password', { body: { current, password } }),
    onSuccess: () => {
      setCurrent('')
      setPassword('')
      say('The password is changed. Every other session of yours has ended.')
    },
  })
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate()
      }}
    >
      <Field label="Current password">
        <input
          className="field"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={({ target }) => setCurrent(target.value)}
        />
      </Field>
      <Field label="New password">
        <input
          className="field"
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={256}
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
      </Field>
      <Button type="submit" busy={change.isPending}>
        Change
      </Button>
      {change.error && <Problem error={change.error} />}
    </form>
  )
}
