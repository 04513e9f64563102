import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { issueToken, revokeToken, tokensQuery } from '../../api/people.ts'
import { Ago } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Field } from '../../parts/field.tsx'
import { emptyGrant, GrantFields, grantOf } from '../../parts/grant-fields.tsx'
import { Once } from '../../parts/once.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { Table } from '../../parts/table.tsx'

/** Tokens of one's own; an admin sees those of everybody. A token never may more than its person. */
export function Tokens() {
  const client = useQueryClient()
  const asked = useQuery(tokensQuery)
  const { data } = asked
  const [makes, setMakes] = useState(false)
  const [secret, setSecret] = useState<string>()
  const revoke = useMutation({
    mutationFn: revokeToken,
    onSuccess: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  })
  return (
    <>
      <Asked of={asked} />
      {revoke.error && <Problem error={revoke.error} />}
      {data?.length === 0 && (
        <Empty title="No tokens">
          The command line and other programs come in with one: redrive letters --server … with REDRIVE_TOKEN.
        </Empty>
      )}
      {data && data.length > 0 && (
        <Table columns={['Token', 'Role', 'Sources', 'Made', 'Good until', { name: 'Actions', is: 'unseen' }]}>
          {data.map(({ id, name, last4, role, sources, reveal, madeAt, expiresAt, revokedAt }) => (
            <tr key={id}>
              <td>
                {seen(name)} <code className="font-mono text-xs text-muted">…{seen(last4)}</code>
              </td>
              <td>
                {role}
                {reveal && ', may reveal'}
              </td>
              <td className="font-mono text-xs">{sources.map(seen).join(', ')}</td>
              <td className="text-muted">
                <Ago at={madeAt} />
              </td>
              <td className="text-muted">{new Date(expiresAt).toLocaleDateString()}</td>
              <td className="text-right">
                {revokedAt === null ? (
                  <Button look="danger" busy={revoke.isPending} onClick={() => revoke.mutate(id)}>
                    Revoke<span className="sr-only"> {seen(name)}</span>
                  </Button>
                ) : (
                  <State of="cancelled" text="revoked" />
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Button className="mt-3" onClick={() => setMakes(true)}>
        New token…
      </Button>
      {makes && (
        <NewToken
          onClose={() => setMakes(false)}
          onMade={(made) => {
            setMakes(false)
            setSecret(made)
            void client.invalidateQueries({ queryKey: tokensQuery.queryKey })
          }}
        />
      )}
      {secret !== undefined && (
        <Once
          title="The new token"
          about="It is shown now, and never again. Only a hash of it is kept."
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}

function NewToken({ onClose, onMade }: { readonly onClose: () => void; readonly onMade: (secret: string) => void }) {
  const [name, setName] = useState('')
  const [days, setDays] = useState(90)
  const [grant, setGrant] = useState(emptyGrant)
  const make = useMutation({
    mutationFn: () => issueToken({ name, days, ...grantOf(grant) }),
    onSuccess: ({ secret }) => onMade(secret),
  })
  return (
    <Dialog title="A new token" onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          make.mutate()
        }}
      >
        <Field label="Name" hint="Which program has it.">
          <input className="field" required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />
        </Field>
        <GrantFields grant={grant} onChange={setGrant} />
        <Field label="Good for, days">
          <input
            className="field w-28"
            type="number"
            min={1}
            max={366}
            value={days}
            onChange={({ target }) => setDays(target.valueAsNumber)}
          />
        </Field>
        {make.error && <Problem error={make.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={make.isPending}>
            Make it
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
