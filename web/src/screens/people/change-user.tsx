import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { roles } from '../../../../src/server/rights.ts'
import { changeUser, type User, userQuery } from '../../api/people.ts'
import { useWho } from '../../api/session.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { GrantFields, grantOf } from '../../parts/grant-fields.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'

interface ChangeUserProps {
  readonly id: number
  readonly onClose: () => void
  readonly onChanged: () => void
}

export function ChangeUser({ id, onClose, onChanged }: ChangeUserProps) {
  const { data, error } = useQuery(userQuery(id))
  return (
    <Dialog title={data ? `Change ${seen(data.user.name)}` : 'Change'} onClose={onClose}>
      {error && <Problem error={error} />}
      {data && <ChangeForm user={data.user} etag={data.etag} onClose={onClose} onChanged={onChanged} />}
    </Dialog>
  )
}

function ChangeForm({
  user,
  etag,
  onClose,
  onChanged,
}: Omit<ChangeUserProps, 'id'> & { readonly user: User; readonly etag: string | undefined }) {
  const who = useWho()
  const [grant, setGrant] = useState({
    role: roles.find((role) => role === user.role) ?? 'viewer',
    sources: user.sources.join('\n'),
    reveal: user.reveal,
  })
  const [disabled, setDisabled] = useState(user.disabled)
  const change = useMutation({
    mutationFn: () => changeUser(user.id, { ...(user.issuer === null && grantOf(grant)), disabled }, etag),
    onSuccess: onChanged,
  })
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate()
      }}
    >
      {user.issuer === null ? (
        <GrantFields grant={grant} onChange={setGrant} />
      ) : (
        <p className="text-muted">What they may do comes from their groups at {seen(user.issuer)}, at every sign-in.</p>
      )}
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={disabled} onChange={({ target }) => setDisabled(target.checked)} />
        Disabled: may not come in
      </label>
      <p className="text-warn">
        {who.name === user.name
          ? 'This is you: a change signs you out, and you sign in again.'
          : `Whoever is signed in as ${seen(user.name)} is signed out.`}
      </p>
      {change.error && <Problem error={change.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={change.isPending}>
          Change
        </Button>
      </div>
    </form>
  )
}
