import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { createUser } from '../../api/people.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { emptyGrant, GrantFields, grantOf } from '../../parts/grant-fields.tsx'
import { Problem } from '../../parts/problem.tsx'

export function NewUser({ onClose, onMade }: { readonly onClose: () => void; readonly onMade: (link: string) => void }) {
  const [name, setName] = useState('')
  const [grant, setGrant] = useState(emptyGrant)
  const make = useMutation({
    mutationFn: () => createUser({ name, ...grantOf(grant) }),
    onSuccess: ({ link }) => onMade(link),
  })
  return (
    <Dialog title="A new person" onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          make.mutate()
        }}
      >
        <Field label="Name" hint="Small letters, digits and . _ @ -">
          <input
            className="field"
            required
            maxLength={64}
            autoCapitalize="none"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <GrantFields grant={grant} onChange={setGrant} />
        {make.error && <Problem error={make.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={make.isPending}>
            Make and get the link
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
