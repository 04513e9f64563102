import { type Right, rightMeanings, rolesWithRight } from '../../../../src/server/rights.ts'
import { useWho } from '../../api/session.ts'
import { PageHead, Section } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { Table } from '../../parts/table.tsx'
import { PasswordForm } from './password-form.tsx'
import { Tokens } from './tokens.tsx'

/** What one may do and on which sources; whom to ask for the rest. */
export function PermissionsScreen() {
  const { name, role, issuer, rights, sources } = useWho()
  return (
    <>
      <PageHead title="Your permissions" about={`You are ${seen(name)}, ${role}.`} />
      <p className="mb-3">
        Sources:{' '}
        {sources.map((patterns) => (
          <code key={patterns.join()} className="mr-2 font-mono">
            {patterns.map(seen).join(', ')}
          </code>
        ))}
      </p>
      <Table columns={['You may', 'Right', 'To', 'Who has it']}>
        {(Object.keys(rolesWithRight) as Right[]).map((right) => (
          <tr key={right}>
            <td className={`${rights.includes(right) ? 'text-good' : 'text-muted'}`}>
              {rights.includes(right) ? '✓ yes' : '✕ no'}
            </td>
            <td className="font-mono text-xs">{right}</td>
            <td>{rightMeanings[right]}</td>
            <td className="text-muted">{rolesWithRight[right].join(', ') || 'given to a person by itself'}</td>
          </tr>
        ))}
      </Table>
      <Section title="Tokens for programs">
        <Tokens />
      </Section>
      <Section title="Your password">
        {issuer === null ? (
          <PasswordForm />
        ) : (
          <p className="text-muted">
            You sign in with {seen(issuer)}, which also says what you may do here. There is no password.
          </p>
        )}
      </Section>
    </>
  )
}
