import type { Cause } from '../../api/causes.ts'
import { Facts } from '../../parts/facts.tsx'
import { many } from '../../parts/number.model.ts'
import { seen } from '../../parts/seen.model.ts'

const words: Readonly<Record<Cause['parts']['groupedBy'][number], string>> = {
  type: 'the type of the error',
  text: 'its text',
  place: 'the place in the code',
  channel: 'the channel',
}

/** Why these letters are one group, so that nobody has to believe it. */
export function Why({ parts, fingerprint }: Pick<Cause, 'parts' | 'fingerprint'>) {
  const { groupedBy, type, text, place, channel, replaced } = parts
  return (
    <div className="rounded-lg border bg-surface p-3">
      <p className="mb-2 text-sm">These letters agree in {groupedBy.map((part) => words[part]).join(', ')}.</p>
      <Facts
        of={[
          ['Type', <code key="type">{seen(type)}</code>],
          ['Text', text === '' ? null : <code key="text">{seen(text)}</code>],
          ['Place', place && <code key="place">{seen(`${place.function} in ${place.module}`)}</code>],
          ['Channel', <code key="channel">{seen(channel)}</code>],
          ['Left out', replaced.length === 0 ? null : replaced.map(({ kind, count }) => many(count, kind)).join(', ')],
          ['Fingerprint', <code key="fingerprint">{fingerprint}</code>],
        ]}
      />
    </div>
  )
}
