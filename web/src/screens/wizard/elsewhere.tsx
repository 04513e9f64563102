import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sourcesQuery } from '../../api/sources.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { seen } from '../../parts/seen.model.ts'
import type { Elsewhere } from './wizard.model.ts'

interface ElsewhereFieldsProps {
  readonly elsewhere: Elsewhere | undefined
  readonly onChange: (elsewhere: Elsewhere | undefined) => void
}

/** For letters of which nobody knows where they came from, and for a channel that has moved: all of them go to one place instead. */
export function ElsewhereFields({ elsewhere, onChange }: ElsewhereFieldsProps) {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const connections = [...new Set(sources.map(({ connection }) => connection))]
  const [connection, setConnection] = useState('')
  const [channel, setChannel] = useState('')
  const wanted = { connection: connection || (connections[0] ?? ''), channel: channel.trim() }
  if (elsewhere)
    return (
      <p className="mt-3 flex flex-wrap items-center gap-3">
        <span>
          All of them go to <span className="font-mono">{seen(`${elsewhere.connection}/${elsewhere.channel}`)}</span>, instead of
          where they died.
        </span>
        <Button onClick={() => onChange(undefined)}>Each to where it died</Button>
      </p>
    )
  return (
    <details className="mt-3">
      <summary className="w-fit cursor-pointer text-muted">Send them elsewhere</summary>
      <form
        className="mt-2 flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (wanted.channel !== '') onChange(wanted)
        }}
      >
        <Field label="Connection">
          <select className="field" value={wanted.connection} onChange={({ target }) => setConnection(target.value)}>
            {connections.map((each) => (
              <option key={each} value={each}>
                {seen(each)}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Channel">
          <input
            className="field font-mono"
            maxLength={255}
            value={channel}
            onChange={({ target }) => setChannel(target.value)}
          />
        </Field>
        <Button type="submit" reason={wanted.channel === '' ? 'Name a channel first.' : undefined}>
          Show that plan
        </Button>
      </form>
    </details>
  )
}
