import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { newLink, type User, usersQuery } from '../../api/people.ts'
import { useLack } from '../../api/session.ts'
import { Ago } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Once } from '../../parts/once.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { Table } from '../../parts/table.tsx'
import { ChangeUser } from './change-user.tsx'
import { NewUser } from './new-user.tsx'

export function PeopleScreen() {
  const cannot = useLack()('users:manage')
  if (cannot !== undefined) return <PageHead title="People" about={`⊘ You may not manage people. ${cannot}`} />
  return <People />
}

/** Who may come in, and what they may. Admins never know passwords: everybody sets their own by a link that works once. */
function People() {
  const client = useQueryClient()
  const asked = useQuery(usersQuery)
  const { data } = asked
  const [open, setOpen] = useState<'new' | number>()
  const [link, setLink] = useState<string>()
  const issue = useMutation({ mutationFn: newLink, onSuccess: (made) => setLink(made.link) })
  const done = (): void => {
    setOpen(undefined)
    void client.invalidateQueries({ queryKey: usersQuery.queryKey })
  }
  return (
    <>
      <PageHead title="People" about="Everybody sets their own password, by a link that works once and for an hour.">
        <Button look="primary" onClick={() => setOpen('new')}>
          New person…
        </Button>
      </PageHead>
      <Asked of={asked} />
      {issue.error && <Problem error={issue.error} />}
      <Table columns={['Name', 'Role', 'Sources', 'Since', { name: 'Actions', is: 'unseen' }]}>
        {data?.map((user) => (
          <Row key={user.id} user={user} onChange={() => setOpen(user.id)} onLink={() => issue.mutate(user.id)} />
        ))}
      </Table>
      <CliLine command="redrive users" />
      {open === 'new' && (
        <NewUser
          onClose={() => setOpen(undefined)}
          onMade={(made) => {
            done()
            setLink(made)
          }}
        />
      )}
      {typeof open === 'number' && <ChangeUser id={open} onClose={() => setOpen(undefined)} onChanged={done} />}
      {link !== undefined && (
        <Once
          title="A link to set the password"
          about="Give it to that person and to nobody else. It works once, within the hour, and is not shown again."
          secret={`${location.origin}${link}`}
          onClose={() => setLink(undefined)}
        />
      )}
    </>
  )
}

function Row({ user, onChange, onLink }: { readonly user: User; readonly onChange: () => void; readonly onLink: () => void }) {
  const { name, role, reveal, sources, disabled, hasPassword, issuer, madeAt } = user
  return (
    <tr className={disabled ? 'text-muted' : ''}>
      <th scope="row" className="font-medium">
        {seen(name)}
        {disabled && <span className="ml-2 text-xs font-normal">✕ disabled</span>}
        {issuer !== null && <span className="ml-2 text-xs font-normal text-muted">signs in with {seen(issuer)}</span>}
        {!hasPassword && issuer === null && <span className="ml-2 text-xs font-normal text-warn">… has not set a password</span>}
      </th>
      <td>
        {role}
        {reveal && ', may reveal'}
      </td>
      <td className="font-mono text-xs">{sources.map(seen).join(', ')}</td>
      <td className="text-muted">
        <Ago at={madeAt} />
      </td>
      <td>
        <span className="flex justify-end gap-2">
          <Button onClick={onChange}>
            Change…<span className="sr-only"> {seen(name)}</span>
          </Button>
          {issuer === null && (
            <Button onClick={onLink}>
              New link<span className="sr-only"> for {seen(name)}</span>
            </Button>
          )}
        </span>
      </td>
    </tr>
  )
}
