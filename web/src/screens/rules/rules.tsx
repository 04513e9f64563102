import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Rule, rulesQuery } from '../../api/rules.ts'
import { useSeesAll } from '../../api/session.ts'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { Table } from '../../parts/table.tsx'
import { AlertTabs } from '../alerts/alert-tabs.tsx'
import { holdsText, scopeText, spanText } from './rule.model.ts'
import { TryRule } from './try-rule.tsx'

/** What is watched, when people are told, and whether that would have been right. */
export function RulesScreen() {
  const asked = useQuery(rulesQuery)
  const { data } = asked
  const [tried, setTried] = useState<string>()
  return (
    <>
      <PageHead
        title="Rules"
        about="What is watched. The defaults, with what redrive.yaml says about them; try another limit here before you write it there."
      />
      <AlertTabs />
      <Asked of={asked} />
      {data && (
        <Table
          columns={[
            'Rule',
            'Severity',
            'Holds when',
            'For',
            'Resolved when clear for',
            'About',
            { name: 'Actions', is: 'unseen' },
          ]}
        >
          {data.map((rule) => (
            <RuleRow key={rule.id} rule={rule} onTry={() => setTried(rule.id)} />
          ))}
        </Table>
      )}
      {tried !== undefined && <TryRule rule={tried} onClose={() => setTried(undefined)} />}
      <CliLine command="redrive rules" />
    </>
  )
}

function RuleRow({ rule, onTry }: { readonly rule: Rule; readonly onTry: () => void }) {
  const { id, severity, keepFiringFor, runbook } = rule
  const cannot = useSeesAll() ? undefined : 'What was seen is of all sources; you were given some of them.'
  return (
    <tr>
      <th scope="row" className="font-mono">
        {seen(id)}
        {runbook !== undefined && <span className="block text-xs break-all text-muted">{seen(runbook)}</span>}
      </th>
      <td>
        <State of={severity} />
      </td>
      <td className="min-w-64">{holdsText(rule)}</td>
      <td className="whitespace-nowrap">{spanText(rule.for)}</td>
      <td className="whitespace-nowrap">{spanText(keepFiringFor)}</td>
      <td>{seen(scopeText(rule))}</td>
      <td className="at-the-right text-right">
        <Button reason={cannot} onClick={onTry}>
          Try…<span className="sr-only"> {seen(id)}</span>
        </Button>
      </td>
    </tr>
  )
}
