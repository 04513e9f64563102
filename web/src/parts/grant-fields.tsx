import { type Role, roles } from '../../../src/server/rights.ts'
import { Field } from './field.tsx'

export interface GrantDraft {
  readonly role: Role
  /** Patterns, one in each line. */
  readonly sources: string
  readonly reveal: boolean
}

export const emptyGrant: GrantDraft = { role: 'viewer', sources: '*', reveal: false }

export function grantOf({ role, sources, reveal }: GrantDraft): { role: Role; sources: string[]; reveal: boolean } {
  return {
    role,
    reveal,
    sources: sources
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  }
}

export function GrantFields({ grant, onChange }: { readonly grant: GrantDraft; readonly onChange: (grant: GrantDraft) => void }) {
  return (
    <>
      <Field label="Role" hint="From the one that sees least to the one that may do all. Your permissions lists what each may.">
        <select
          className="field"
          value={grant.role}
          onChange={({ target }) => onChange({ ...grant, role: roles.find((role) => role === target.value) ?? 'viewer' })}
        >
          {roles.map((role) => (
            <option key={role}>{role}</option>
          ))}
        </select>
      </Field>
      <Field label="Sources" hint="Patterns of connection/channel, one in each line; * stands for any characters.">
        <textarea
          className="field font-mono"
          rows={2}
          value={grant.sources}
          onChange={({ target }) => onChange({ ...grant, sources: target.value })}
        />
      </Field>
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={grant.reveal} onChange={({ target }) => onChange({ ...grant, reveal: target.checked })} />
        May see payloads as they are (every look is in the audit trail)
      </label>
    </>
  )
}
